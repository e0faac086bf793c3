"""What a request says: paths, places, quotations, topics, units, items of a list."""

from __future__ import annotations

import re

from .offers import unit_of
from .wording import HAN, is_chinese

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
    for pattern in (_ZH_BETWEEN, _BETWEEN, _AFTER, _ZH_INTO):
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
