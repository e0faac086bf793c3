"""What a request says: paths, places, quotations, topics, units, items of a list."""

from __future__ import annotations

import re
from collections.abc import Collection

from .offers import unit_of
from .vocabulary import LANGUAGES
from .wording import HAN, is_chinese, stem

# -- the pieces the patterns are made of --

_QUOTES = ('""', "“”", "「」", "『』", "《》", "``", "‘’")
_QUOTED = re.compile(
    "|".join(
        [r"```(?:\w*\n)?(.*?)```", r"(?<!\w)'([^']+)'(?!\w)"]
        + [f"{opening}([^{closing}]*){closing}" for opening, closing in _QUOTES]
    ),
    re.DOTALL,
)

_ROOT = r"(?:~|\.{1,2})?/"
_FILE = rf"(?:{_ROOT})?(?:[\w\-]+/)*[\w\-]*\.[A-Za-z]\w{{0,7}}"
_DEEP = rf"{_ROOT}(?:[\w\-.]+/?)+"
_TREE = r"(?:[\w\-]+/)+[\w\-]*"
_PATH = re.compile(rf"(?<![\w@/])({_FILE}|{_DEEP}|{_TREE})", re.ASCII)
_HAN_PATH = re.compile(r"([\w/\-]+\.(?:md|txt|json|csv|py|ya?ml|toml|html|log|ipynb))")
_HAN_PATH_LEAD = re.compile(r"^(?:读取|读|打开|查看|写入|写到|保存到|把|将|文件|和|与)+")
_FOLDER = re.compile(r"\b([\w\-]+) (?:folder|directory)\b|([\w\-]+)\s*(?:目录|文件夹)", re.IGNORECASE | re.ASCII)
_NO_FOLDER = frozenset("the this current that a which what my in here list of parent".split())  # noqa: SIM905

_NAME = r"[A-Z][\w'’\-]*(?:\s+[A-Z][\w'’\-]*)*"
_LOW_NAME = r"[a-z][\w\-]+(?:\s+(?!and\b|or\b|is\b)[a-z][\w\-]+)?"
_AND = r"(?:,?\s+(?:and|or)\s+|,\s*|\s*&\s*)"
_PLACE = re.compile(rf"\b(?:in|for|at|of|about|near|to)\s+((?:the\s+)?{_NAME}(?:{_AND}{_NAME})*)")
_PLACE_FIRST = re.compile(rf"^({_NAME})\s+(?:weather|temperature|forecast)|^({_NAME})\W*$")
_PLACE_LOW = re.compile(rf"\b(?:in|for|at|of|near)\s+({_LOW_NAME}(?:{_AND}{_LOW_NAME})*)", re.IGNORECASE)
_ZH_WHEN = "(?:今天|明天|现在|今日|当前|这几天)"
_ZH_WEATHER = re.compile(rf"(?:{_ZH_WHEN}|的)*(?:天气|气温|温度|会?下雨|冷|热)")
_HAN_RUN = re.compile(rf"[{HAN}、]+")
_ZH_PLACE_LEAD = re.compile(
    rf"^(?:查询一下|查一下|查询|查看|查|看一下|看看|看|请问|告诉我|我?想知道|一下|关于|在|{_ZH_WHEN})+"
)
_ZH_PLACE_FRAME = re.compile(r"^(?:那么?|还有|换成|在)|[呢吗？?。]|怎么样")
_BETWEEN_NAMES = re.compile(r",\s+and\s+|,\s*|\s+and\s+|\s+or\s+|\s*&\s*|[、，和与跟]")
_NOT_PLACES = frozenset(
    "today tomorrow now there here the it celsius fahrenheit me degrees weather this that".split()  # noqa: SIM905
)
_TIMES_OF_DAY = re.compile(
    r"\b(?:today|tomorrow|now|right now|this week|at the moment|in (?:celsius|fahrenheit)|please)\b", re.IGNORECASE
)

_SOURCES = r"(?:notes?|documents?|docs|knowledge base)"
_QUESTION_WORDS = (
    "please search find look lookup check get fetch show tell give what which where who when how do does did is are "
    "was were say says said know have has there me us i you we my our your the a an any all some note notes document "
    "documents docs in through for about on of from up anything something everything to price cost definition much many"
)
_TOPIC_LEADS = re.compile(
    r"^(?:(?:knowledge base|your memor(?:y|ies)|the memories|you remember"
    rf"|(?:web|internet|net)(?=\s+(?:for|about)\b)|{'|'.join(_QUESTION_WORDS.split())})\b[\s,:]*|['’]s\b\s*)+",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\babout\s+(.+)$", re.IGNORECASE)
_AUXILIARIES = re.compile(r"\s+(?:do|does|did|is|are|was|were|have|has|had|can|will)\b(?=\s|$)", re.IGNORECASE)
_TOPIC_TAILS = re.compile(
    rf"\s*\b(?:in|from|through)\s+(?:my|the|our|your)\s+{_SOURCES}\b|\bsays?\b.*$|\s+(?:mean|cost)s?$", re.IGNORECASE
)
_ZH_TOPIC = re.compile(
    "(?:搜索一下|搜索|查找|检索|搜一下|找一下|查一下|查询|查|找|看看)"
    "|(?:我的|所有)?笔记(?:里|中|里面)?(?:有没有|有)?"
    "|(?:关于|有关)|(?:的)?(?:内容|信息|笔记|资料|记录|记忆)"
    "|(?:你)?(?:还)?记得"
    "|(?:是什么|怎么写的|说了什么|有哪些|有什么|怎么样|多少钱|的价格|吗|呢|请问|告诉我|什么是|翻译)"
)

_TO_FILE = r"(?:to|into|in|as|at|on)\s+(?:a |the |my )?(?:new )?(?:file )?(?:called |named )?"
_BETWEEN = re.compile(
    r"^(?:write|save|store|put|append|record|add|create|note(?: down)?)\s+(?:a (?:file|note)\s+)?"
    rf"(.*?)\s*\b{_TO_FILE}\S+$",
    re.IGNORECASE | re.DOTALL,
)
_AFTER = re.compile(
    r"(?:\b(?:with(?: the)?(?: text| content)?|containing|saying|that says|note that)\b|内容[是为]|[:：])\s*(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_REMEMBERED = re.compile(
    r"^(?:please\s+)?(?:remember|keep in mind)(?:\s+(?:that|this))?\b\s*[:：,]?\s*(?!to\b)(.+)$"
    r"|^请?(?:帮我)?(?:记住|记下|别忘了)(?:一下)?[:：，,]?\s*(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_ZH_SAYING = re.compile(r"(?:消息|邮件|短信|信)[，,]?(?:说|告诉\S{1,4}?[，,：:])\s*(.+)$", re.DOTALL)
_ZH_BETWEEN = re.compile(r"^(?:把|将)(.+?)(?:写入|写到|写进|保存到|保存为|存到|存入|存为|记录到|放到)", re.DOTALL)
_ZH_INTO = re.compile(r"(?:在|往|向|到).+?(?:中|里)?(?:写入|写上|写|记录|保存)\s*(.+)$", re.DOTALL)

_HELPER = r"(?:(?:an?|the|one|another)\s+)?(?:\w+\s+)?(?:helpers?|sub-?\s?agents?)"
_WAY = r"(?:\s+with\s[^:\n]{1,40}:)?"
_ZH_HELPER = "(?:一个|一位|一名|你的)?(?:子代理|子智能体|帮手)"
_DELEGATED = (
    re.compile(rf"\b(?:delegate|hand(?: over| off)?|give|assign|pass)\s+(.+?)\s+to\s+{_HELPER}\W*$", re.IGNORECASE),
    re.compile(
        rf"\b(?:have|let|get|ask|tell|use|start)\s+{_HELPER}{_WAY}(?:\s+(?:to|and))?\s*[:,]?\s+(.+)$",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(rf"\b(?:delegate|hand|give|assign)\b[^:\n]*{_HELPER}\s*[:：]\s*(.+)$", re.IGNORECASE | re.DOTALL),
    re.compile(r"\bdelegate(?:\s+this)?\s*[:：]\s*(.+)$", re.IGNORECASE | re.DOTALL),
    re.compile(rf"^(?:请)?(?:把|将)(.+?)(?:的|这个|这项)?(?:任务|工作)?(?:交给|委派给|分配给){_ZH_HELPER}"),
    re.compile(
        rf"(?:交给|委派给?|让|请|叫|用|派|^){_ZH_HELPER}(?:去|来)?(?:帮忙|处理|完成|执行|做)?\s*[:：，,]?\s*(.+)$",
        re.DOTALL,
    ),
)

_LIST_AFTER = re.compile(r"(?:[:：]|\b(?:with|for|to do|containing|of)\b)\s*(.+)$", re.IGNORECASE | re.DOTALL)
_LIST_TO = re.compile(r"^(?:add|put)\s+(.+?)\s+(?:to|on|into)\s+(?:my|the|a)\b", re.IGNORECASE | re.DOTALL)
_ZH_LIST_TO = re.compile(r"^(?:把|将)(.+?)(?:加入|加到|放进|放到|添加到|列入)", re.DOTALL)
_ITEM_SPLIT = re.compile(rf"\s*(?:\n+|;|；|,\s*and\s+|,|，|、|\b(?:and|And)\b|以及|和(?=[{HAN}]{{2}}))\s*")
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\(?\d{1,2}[.)、]\s*)")

_COUNT = r"(?:\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|a dozen)"
_COUNTED = re.compile(rf"\b{_COUNT}\s+(?!\d)([a-z][\w\-]*)", re.IGNORECASE)
_ZH_COUNTED = re.compile(
    rf"(?:\d+|[一二两三四五六七八九十])\s*[个斤只本张杯份件块台瓶]\s*([{HAN}]{{1,6}}?)"
    "(?=多少|一共|总共|的|和|与|$|要|价|[、，？?])"
)
_OF = re.compile(
    r"\b(?:of|for|about|does|do|is|called|named)\s+(?:an?\s+|the\s+)?([\w\-]+(?:\s+[\w\-]+)?)"
    r"\s*(?:cost|mean|worth)?\s*\??$",
    re.IGNORECASE,
)
_BARE = re.compile(r"[^\s,;，；]+")
_EMAIL = re.compile(r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+", re.ASCII)
_RECIPIENTS = (
    re.compile(rf"\b(?:to|for)\s+({_NAME})"),
    re.compile(rf"\b(?:[Ss]end|[Ee]mail|[Mm]ail|[Mm]essage|[Tt]ell|[Gg]ive|[Ww]rite)\s+({_NAME})"),
    re.compile(rf"(?:发送?给|告诉|通知|给)([{HAN}]{{2,4}}?)(?=[，,：:说发写]|$)"),
)
_ORIGIN = re.compile(rf"\bfrom\s+({_NAME})|从\s*([{HAN}]{{2,6}}?)(?=到|去|飞|出发|$)")
_DESTINATION = re.compile(rf"\bto\s+({_NAME})|(?:到|去|飞往?)\s*([{HAN}]{{2,6}}?)(?=的|$|[，,。？?])")
_CLOCK = re.compile(
    r"\b\d{1,2}(?::\d{2})?\s*(?:[ap]\.?m\b\.?|o'clock)|\b\d{1,2}:\d{2}\b|\bin\s+\d+\s+(?:minutes?|hours?)\b|\b(?:noon|midnight)\b"
    r"|(?:明天|今晚|后天)?(?:早上|上午|中午|下午|晚上)?\s*[\d一二三四五六七八九十]{1,3}点(?:半|\d{1,2}分)?",
    re.IGNORECASE,
)
_REMINDED = re.compile(
    r"\bremind(?:er)?\b(?:\s+(?:me|us))?\s*(?:to|about|of|that|:)?\s*(.+)$|提醒(?:我|一下|我们)*\s*[:：，,]?(.+)$",
    re.IGNORECASE,
)
_AROUND_CLOCK = re.compile(r"\s*\b(?:at|by|around)\s*$|[在于]\s*$", re.IGNORECASE)
_KIND_OF_TEXT = r"(?:(?:the|this)\s+)?(?:(?:word|text|string|sentence|phrase|letters of)\s+)?"
_CALLED = re.compile(rf"\b(?:called|named)\s+({_NAME})|(?:叫做?|名为)\s*([{HAN}]{{2,4}})")
_LANGUAGE = "|".join(sorted((name for names in LANGUAGES for name in names.split()), key=len, reverse=True))
_LANGUAGES = re.compile(rf"(?<![A-Za-z])(?:{_LANGUAGE})(?![A-Za-z])", re.IGNORECASE)
_FROM_LANGUAGE = re.compile(rf"(?:\bfrom\s+|从)({_LANGUAGE})", re.IGNORECASE)
_TRANSLATED = re.compile(
    rf"\btranslate\s+(.+?)\s+(?:from\s+\w+\s+)?(?:in)?to\s+(?:{_LANGUAGE})\W*$"
    rf"|(?:把|将)([^把将]+?)(?:从.{{1,4}})?(?:翻译|译)[成为到]|(?:翻译|译)(?:一下)?\s*[:：]?\s*(.+?)(?:[成为到](?:{_LANGUAGE}))?\W*$",
    re.IGNORECASE | re.DOTALL,
)
_TICKER = re.compile(r"(?<![A-Za-z])[A-Z]{2,5}(?:\.[A-Z]{1,2})?(?![A-Za-z])")
_SHARES = re.compile(r"\s*\b(?:stocks?|shares?)\b\s*|(?:的)?(?:股票|股价|股份)", re.IGNORECASE)
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b|\b(?:today|tomorrow|yesterday)\b|今天|明天|昨天", re.IGNORECASE)
_UNIT_WORD = re.compile(rf"°?[A-Za-z]+|[{HAN}]+")


def quoted(text: str) -> list[str]:
    """What stands in quotation marks of any kind."""
    return [next(group for group in match.groups() if group is not None) for match in _QUOTED.finditer(text)]


def paths(text: str) -> list[str]:
    """File and folder names, in order, each once; "the data folder" is `data`."""
    found = file_paths(text)
    if not found:
        for match in _FOLDER.finditer(text):
            name = match.group(1) or match.group(2)
            if name.lower() not in _NO_FOLDER:
                found.append(name)
    return list(dict.fromkeys(found))


def file_paths(text: str) -> list[str]:
    """What is written as a path: with a dot or a slash in it."""
    # A dot right after a Chinese character belongs to a Chinese name, which `_HAN_PATH` reads.
    found = [
        match.group(1)
        for match in _PATH.finditer(text)
        if not (match.group(1).startswith(".") and is_chinese(text[max(match.start() - 1, 0) : match.start()]))
    ]
    for match in _HAN_PATH.finditer(text):
        name = _HAN_PATH_LEAD.sub("", match.group(1))
        if not any(name in other or other in name for other in found):
            found.append(name)
    return [path for path in found if not path.replace("/", "").replace(".", "").isdigit()]


def places(text: str) -> list[str]:
    """Cities and the like: names after "in", or what stands before 的天气."""
    if is_chinese(text):
        # A run before 的天气, rather than one pattern for all: nested repetition over Chinese would take forever.
        weather = _ZH_WEATHER.search(text)
        runs = _HAN_RUN.findall(text[: weather.start()]) if weather else []
        if runs and weather and text[: weather.start()].endswith(runs[-1]):
            return _names(_ZH_PLACE_LEAD.sub("", runs[-1]))
        bare = _ZH_PLACE_FRAME.sub("", text).strip()
        return _names(bare) if re.fullmatch(rf"[{HAN}、]{{2,12}}", bare) else []
    line = _TIMES_OF_DAY.sub("", text).strip(" ?!.")
    for pattern in (_PLACE, _PLACE_FIRST, _PLACE_LOW):
        if match := pattern.search(line):
            return _names(next(group for group in match.groups() if group))
    return []


def _names(text: str) -> list[str]:
    names = (name.strip(" ?？.") for name in _BETWEEN_NAMES.split(text))
    return [name.removeprefix("the ") for name in names if name and name.lower() not in _NOT_PLACES]


def topic(text: str) -> str:
    """What a question is about, without the words that only make it a question."""
    if inside := quoted(text):
        return inside[0]
    line = text.strip(" ?？。.!！")
    if is_chinese(line):
        return _ZH_TOPIC.sub("", line).strip(" ，的：:") or line
    if about := _ABOUT.search(line):
        line = about.group(1)
    elif re.match(r"how|what|which|who|when|where", line, re.IGNORECASE):
        line = _AUXILIARIES.sub("", line)
    line = _TOPIC_TAILS.sub("", line)
    return _TOPIC_LEADS.sub("", line).strip(" ,:") or line


def things(text: str) -> list[str]:
    """Goods and other nouns: what is counted ("3 apples"), else what the text is about."""
    if inside := quoted(text):
        return inside
    if called := _first(_CALLED.search(text)):
        return called
    counted = _COUNTED.findall(text) or _ZH_COUNTED.findall(text)
    if counted:
        return list(dict.fromkeys(counted))
    if match := _OF.search(text.strip()):
        return [re.sub(r"\s+(?:cost|mean|worth)$", "", match.group(1))]
    found = topic(text)
    return [found] if found else []


def written(text: str) -> str | None:
    """What a request wants to have written; `None` when it does not say."""
    names = set(paths(text))
    inside = [quote for quote in quoted(text) if quote not in names]
    if inside:
        return inside[0]
    if remembered := _REMEMBERED.match(text.strip(" .。")):
        return remembered.group(1) or remembered.group(2)
    for pattern in (_ZH_BETWEEN, _BETWEEN, _AFTER, _ZH_SAYING, _ZH_INTO):
        match = pattern.search(text.strip(" .?"))
        if match and match.group(1).strip(" ：:") and match.group(1).strip() not in names:
            return match.group(1).strip(" ：:")
    return None


def delegated(text: str) -> str | None:
    """What a request wants somebody else to do."""
    line = text.strip(" .。!！")
    for pattern in _DELEGATED:
        if (match := pattern.search(line)) and (task := match.group(1).strip(" ：:,，\"“”'")):
            return task
    return None


def listed(text: str) -> list[str]:
    """The items of a list in a request, without bullets and numbers."""
    inside = quoted(text)
    if len(inside) > 1:
        return inside
    for pattern in (_LIST_TO, _ZH_LIST_TO, _LIST_AFTER):
        if match := pattern.search(text):
            body = match.group(1) if not inside else inside[0]
            items = (_BULLET.sub("", item).strip(" .。!！:：") for item in _ITEM_SPLIT.split(body))
            return [item for item in items if item]
    return inside


def units(text: str) -> list[str]:
    """Units named in a text, as written."""
    found: list[str] = []
    for word in _UNIT_WORD.findall(text):
        if unit_of(word):
            found.append(word)
        elif not word.isascii():
            found += _han_units(word)
    return found


def named(text: str, name: str) -> tuple[str, str] | None:
    """What a request gives under a name, as in `subject 'Lunch'` and `subject=Lunch`, and the request without it."""
    spoken = re.escape(name).replace("_", r"[_\s]")
    for match in re.finditer(rf"(?<!\w){spoken}(?!\w)\s*(?:(=)|[:：]|\bis\b|[为是])?\s*", text, re.IGNORECASE):
        said = _QUOTED.match(text, match.end())
        value = next(group for group in said.groups() if group is not None) if said else ""
        if not said and match.group(1) and (said := _BARE.match(text, match.end())):
            value = said.group().rstrip(".?!。？！")
        if said and value:
            return value, f"{text[: match.start()]} {text[said.end() :]}"
    return None


def addresses(text: str) -> list[str]:
    """Who something is sent to: addresses, else the one who is named."""
    if found := _EMAIL.findall(text):
        return list(dict.fromkeys(found))
    matches = (pattern.search(text) for pattern in _RECIPIENTS)
    return _first(next((match for match in matches if match), None))


def origins(text: str) -> list[str]:
    """Where a way begins."""
    return _first(_ORIGIN.search(text))


def destinations(text: str) -> list[str]:
    """Where a way leads."""
    return _first(_DESTINATION.search(text))


def _first(match: re.Match[str] | None) -> list[str]:
    """What the first group that took part has found."""
    return [] if match is None else [next(group for group in match.groups() if group)]


def languages(text: str) -> list[str]:
    """The language that a text is to be in: the last that is named, but for the one that it is in."""
    first = _FROM_LANGUAGE.search(text)
    found = [match.group() for match in _LANGUAGES.finditer(text) if first is None or match.start() != first.start(1)]
    return found[-1:]


def source_languages(text: str) -> list[str]:
    """The language that a text is in."""
    return _first(_FROM_LANGUAGE.search(text))


def translated(text: str) -> str | None:
    """What is to be translated."""
    if inside := quoted(text):
        return inside[0]
    match = _TRANSLATED.search(text.strip())
    return next((group.strip(" ：:，,") for group in match.groups() if group), None) if match else None


def clocks(text: str) -> list[str]:
    """Times of day, and how long it is until then."""
    return [match.group().strip() for match in _CLOCK.finditer(text)]


def reminded(text: str) -> str | None:
    """What somebody wants to be reminded of, without the time."""
    if inside := quoted(text):
        return inside[0]
    if clock := _CLOCK.search(text):
        text = f"{_AROUND_CLOCK.sub('', text[: clock.start()])} {text[clock.end() :]}"
    found = _first(_REMINDED.search(text.strip(" .。!！?？")))
    return " ".join(found[0].split()).strip(" ，,") or None if found else None


def after_verb(text: str, verbs: Collection[str]) -> str | None:
    """What follows a verb that a request begins with; `verbs` are stems."""
    match = re.match(rf"\W*(?:please\s+)?([a-z]+)\s+{_KIND_OF_TEXT}(.+?)[\s.?!]*$", text, re.IGNORECASE)
    return match.group(2) if match and stem(match.group(1).lower()) in verbs else None


def tickers(text: str) -> list[str]:
    """Symbols of stocks; else what the request is about, without the word for stocks."""
    return _TICKER.findall(text) or [_SHARES.sub("", thing).strip() for thing in things(text)]


def _han_units(run: str) -> list[str]:
    """Units inside a run of Chinese, longest first at each place."""
    found: list[str] = []
    at = 0
    while at < len(run):
        size = next((size for size in (3, 2, 1) if unit_of(run[at : at + size])), 0)
        if size:
            found.append(run[at : at + size])
        at += size or 1
    return found


def dates(text: str) -> list[str]:
    return _DATE.findall(text)
