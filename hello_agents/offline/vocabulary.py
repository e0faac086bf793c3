"""The tables the offline model understands questions by. To teach it a word, add the word here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Intent:
    """Something people ask for, with the words for it on both sides."""

    key: str
    asks: tuple[str, ...]
    """Words of a question that ask for it."""
    tools: tuple[str, ...]
    """Words by which a tool says that it does this."""


def _set(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


def _intent(key: str, asks: str, tools: str) -> Intent:
    return Intent(key, tuple(asks.split(", ")), tuple(tools.split(", ")))


INTENTS = (
    _intent(
        "delegate",
        "helper, helpers, sub-agent, subagent, sub agent, delegate, child agent, 子代理, 子智能体, 帮手, 委派",
        "sub-agent, subagent, sub agent, delegate, helper, 子代理, 子智能体, 委派",
    ),
    _intent(
        "todo", "todo, todos, to-do, task list, checklist, 待办, 清单, 任务列表", "todo, checklist, task list, 待办"
    ),
    _intent(
        "remember",
        "remember, keep in mind, add a memory, to memory, 记住, 记下, 别忘了",
        "memory add, remember, 记住",
    ),
    _intent(
        "recall",
        "you remember, your memory, your memories, the memories, my memories, from memory, 记得, 记忆, 回忆",
        "memory search, recall, 回忆",
    ),
    _intent(
        "weather",
        "weather, temperature, forecast, rain, sunny, windy, umbrella, how warm, how cold, 天气, 气温, 下雨, 温度",
        "weather, forecast, temperature, 天气, 气温",
    ),
    _intent(
        "convert",
        "convert, conversion, how many, in miles, in kilometers, 换算, 转换, 转成, 换成",
        "convert, converter, conversion, 换算, 转换",
    ),
    _intent("price", "price, cost, expensive, how much, 价格, 多少钱, 价钱, 售价", "price, cost, quote, 价格"),
    _intent("translate", "translate, translation, 翻译", "translate, translator, translation, 翻译"),
    _intent("time", "what time, what date, today's date, 几点, 时间, 日期, 几号", "time, clock, date, now, 时间, 日期"),
    _intent("send", "send, email, mail, 发送, 发给, 发消息, 发短信, 邮件", "send, email, mail, message, 发送, 邮件"),
    _intent(
        "list",
        "list the files, list files, which files, what files, directory, folder, ls, project structure, "
        "file structure, structure of, analyse the project, analyze the project, analyse this project, "
        "analyze this project, codebase, "
        "列出, 目录, 文件夹, 有哪些文件, 项目结构, 项目的结构, "
        " 文件结构, 代码结构, 分析项目, 分析这个项目, 分析一下项目",
        "list, ls, dir, directory, folder, 列出, 目录",
    ),
    _intent(
        "search",
        "search, find, look up, lookup, note, notes, 搜索, 查找, 搜一下, 检索, 笔记, 找一下",
        "search, find, lookup, retrieve, grep, 搜索, 查找, 检索",
    ),
    _intent(
        "read",
        "read, open, contents of, content of, what is in, what's in, what does, cat, "
        "读取, 读一下, 读, 打开, 查看, 内容",
        "read, open, cat, load, 读取, 读",
    ),
    _intent(
        "write",
        "write, save, store, create, put, append, record, note down, add a note, take a note, "
        "写入, 写到, 写进, 写, 保存, 存到, 存入, 记录, 创建",
        "write, save, store, create, append, add, 写入, 保存, 写, 添加",
    ),
    _intent(
        "arithmetic",
        "calculate, compute, sum, total, add, plus, minus, multiply, divide, product, average, percent, double, "
        "subtract, evaluate, square root, 计算, 算一下, 求和, 总和, 合计, 相加, 平均, 等于多少, 是多少, 得多少, 加起来",
        "calculator, calculate, calc, compute, math, arithmetic, evaluate, expression, 计算, 算术",
    ),
    _intent("remind", "remind, reminder, alarm, wake me, 提醒, 闹钟", "remind, reminder, alarm, 提醒, 闹钟"),
)
"""From the particular to the general: a tool's name is taken for the first intent that it has a word of."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a parameter is for, told by the words in its name or description."""

    key: str
    words: tuple[str, ...]


MEANINGS = (
    Meaning(
        "address", ("to", "recipient", "recipients", "receiver", "email", "mail", "address", "收件人", "邮箱", "地址")
    ),
    Meaning("origin", ("origin", "departure", "from city", "出发地", "始发地")),
    Meaning("destination", ("destination", "arrival", "目的地", "到达地")),
    Meaning("source_language", ("source language", "source lang", "from language", "源语言")),
    Meaning("language", ("language", "lang", "语言", "语种")),
    Meaning("task", ("task", "goal", "instruction", "instructions", "prompt", "任务", "目标")),
    Meaning("path", ("path", "file", "filename", "filepath", "dir", "directory", "folder", "路径", "文件")),
    Meaning("expression", ("expression", "expr", "formula", "equation", "表达式", "算式")),
    Meaning("place", ("city", "location", "place", "town", "country", "region", "城市", "地点", "地区")),
    Meaning("place", ("timezone", "time zone", "zone", "tz", "时区")),
    Meaning("query", ("query", "keyword", "keywords", "search", "term", "topic", "查询", "关键词")),
    Meaning("content", ("content", "contents", "body", "text", "note", "message", "内容", "正文")),
    Meaning("from_unit", ("from", "source")),
    Meaning("to_unit", ("to", "target")),
    Meaning("unit", ("unit", "currency", "单位")),
    Meaning("date", ("date", "day", "日期")),
    Meaning("clock", ("time", "when", "hour", "时间", "时刻")),
    Meaning("ticker", ("ticker", "symbol", "股票代码")),
    Meaning("thing", ("item", "product", "name", "title", "object", "word", "商品", "名称", "物品")),
)

UNITS = {
    "km": "km kilometer kilometers kilometre kilometres 公里 千米",
    "mile": "mile miles mi 英里",
    "m": "meter meters metre metres 米",
    "ft": "foot feet ft 英尺",
    "cm": "cm centimeter centimeters 厘米",
    "inch": "inch inches 英寸",
    "kg": "kg kilogram kilograms kilo kilos 公斤 千克",
    "lb": "pound pounds lb lbs 磅",
    "g": "gram grams 克",
    "celsius": "celsius °c 摄氏度 摄氏",
    "fahrenheit": "fahrenheit °f 华氏度 华氏",
    "s": "s second seconds sec 秒",
    "min": "min minute minutes 分钟",
    "h": "h hour hours 小时",
    "usd": "usd dollar dollars 美元",
    "eur": "eur euro euros 欧元",
    "cny": "cny yuan 人民币",
}
"""Units by their usual symbol, with what people write for them."""

LANGUAGES = (
    "Arabic 阿拉伯语 阿拉伯文", "Chinese Mandarin 中文 汉语", "Czech 捷克语", "Danish 丹麦语", "Dutch 荷兰语",
    "English 英语 英文", "Finnish 芬兰语", "French 法语 法文", "German 德语 德文", "Greek 希腊语", "Hebrew 希伯来语",
    "Hindi 印地语", "Hungarian 匈牙利语", "Indonesian 印尼语", "Italian 意大利语 意大利文", "Japanese 日语 日文",
    "Korean 韩语 韩文", "Latin 拉丁语", "Norwegian 挪威语", "Persian 波斯语", "Polish 波兰语", "Portuguese 葡萄牙语",
    "Russian 俄语 俄文", "Spanish 西班牙语 西班牙文", "Swedish 瑞典语", "Thai 泰语", "Turkish 土耳其语",
    "Ukrainian 乌克兰语", "Vietnamese 越南语",
)  # fmt: skip
"""Languages that a text can be translated into, each by its names."""

NUMBER_WORDS = {
    word: str(value)
    for value, names in enumerate(
        [
            "zero 零",
            "one",
            "two 两",
            "three 三",
            "four 四",
            "five 五",
            "six 六",
            "seven 七",
            "eight 八",
            "nine 九",
            "ten 十",
            "eleven 十一",
            "twelve 十二",
        ]
    )
    for word in names.split()
} | {"二": "2", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100"}

OPERATIONS = {
    "+": "add plus sum addition 加法 相加",
    "-": "subtract minus difference subtraction 减法 相减",
    "*": "multiply times product multiplication 乘法 相乘",
    "/": "divide quotient division 除法 相除",
    "**": "power exponent 乘方",
}
"""Names that a tool for one operation may have."""

REFERENCES = (
    "the result", "the results", "the answer", "the number", "the numbers", "the sum", "the total", "the product",
    "that number", "those numbers", "these numbers", "that", "it", "them", "this", "these", "those",
    "结果", "它们", "它", "答案", "这些数", "那些数", "这个数", "总和", "其中的数",
)  # fmt: skip
"""Ways to speak of what came before."""

ADD_UP = (
    "add up", "add them", "add these", "add the numbers", "add all", "add both", "add the two",
    "add the results", "sum", "total", "in total", "altogether",
    "加起来", "总和", "求和", "之和", "的和", "合计", "总共", "一共", "总计", "相加",
)  # fmt: skip
"""Ways to ask for the sum of numbers that are somewhere else."""

BOTH = (
    "both",
    "the two",
    "two results",
    "two numbers",
    "two answers",
    "两个结果",
    "两个数",
    "这两个",
    "两者",
    "二者",
    "俩",
)
"""Ways to speak of the last two results."""

ALL = (
    "them",
    "these",
    "those",
    "all",
    "the results",
    "the numbers",
    "它们",
    "全部",
    "所有",
    "这些",
    "结果",
    "几个结果",
)
"""Ways to speak of several results."""

AVERAGE = ("average", "mean", "平均")

VERBS = _set(
    "calculate compute evaluate work add sum total multiply divide subtract double read open show write save "
    "store put append list search find look check get fetch tell give what what's whats how how's which who where "
    "when is are was do does did can could convert translate send create make count summarize summarise remember "
    "remind note "
    "analyse analyze generate produce prepare let ask have delegate report "
    "describe explain compare print display use call run plan delete remove update times plus minus"
)
"""Words a new request begins with; an "and" or a comma before one of them separates two requests."""

VERBS_ZH = (
    "计算", "算", "读", "打开", "查看", "写", "保存", "存", "把", "将", "列出", "搜索", "查", "找", "告诉", "换算",
    "转换", "翻译", "发送", "创建", "记录", "求", "看", "总结", "汇总",
    "分析", "生成", "交给", "让", "概括", "加", "减", "乘", "除", "总共", "给",
)  # fmt: skip

FILLERS = (
    "please", "also", "and", "then", "now", "next", "so", "ok", "okay", "afterwards", "finally", "first", "after that",
    "could you", "can you", "would you", "i want you to", "i'd like you to", "let's",
    "请帮我", "请问", "请", "帮我", "麻烦", "再", "然后", "接着", "最后", "先", "首先", "并且", "并", "还有",
    "另外", "同时", "你能", "能不能",
)  # fmt: skip
"""Words before a request that are no part of it."""
