"""The catalogue: every text that a model or a reader sees, in English and in Chinese."""

from __future__ import annotations

TEXTS: dict[str, dict[str, str]] = {
    # --- results of tools, as the model reads them -------------------------------------------------------------
    "tool.error": {"en": "❌ Error [{code}]: {text}", "zh": "❌ 错误 [{code}]: {text}"},
    "tool.partial": {"en": "⚠️ Partial: {text}", "zh": "⚠️ 部分成功: {text}"},
    "tool.none": {"en": "(the tool returned nothing)", "zh": "（工具没有返回内容）"},
    "tool.unknown": {
        "en": "There is no tool {name!r}. Use one of: {names}.",
        "zh": "没有名为 {name!r} 的工具。可用的工具：{names}。",
    },
    "tool.unknown.near": {
        "en": "There is no tool {name!r}. Did you mean {near!r}? Use one of: {names}.",
        "zh": "没有名为 {name!r} 的工具。您是指 {near!r} 吗？可用的工具：{names}。",
    },
    "tool.unknown.empty": {
        "en": "There is no tool {name!r}: no tools are on offer. Answer without one.",
        "zh": "没有名为 {name!r} 的工具：当前没有可用的工具。请直接回答。",
    },
    "tool.list.empty": {"en": "No tools are available.", "zh": "没有可用的工具。"},
    "tool.arguments": {
        "en": "The arguments do not fit {tool}: {faults}. Correct them and call again.",
        "zh": "参数与 {tool} 不符：{faults}。请更正后重新调用。",
    },
    "tool.arguments.missing": {"en": "{name} is missing", "zh": "缺少 {name}"},
    "tool.arguments.unknown": {
        "en": "there is no parameter {name} (it has {names})",
        "zh": "没有参数 {name}（可用参数：{names}）",
    },
    "tool.arguments.near": {
        "en": "there is no parameter {name}; did you mean {near}",
        "zh": "没有参数 {name}，您是指 {near} 吗",
    },
    "tool.arguments.none": {
        "en": "there is no parameter {name}; it takes none",
        "zh": "没有参数 {name}，该工具不接受参数",
    },
    "tool.arguments.wrong": {"en": "{name}: {why} (got {value})", "zh": "{name}：{why}（收到 {value}）"},
    "tool.arguments.text": {
        "en": "It takes {names}; a plain text could be any of them. Pass a JSON object.",
        "zh": "该工具需要 {names}，无法判断文本对应哪一个。请传入 JSON 对象。",
    },
    "tool.arguments.no_text": {
        "en": "It takes no plain text. Pass a JSON object, or an empty text.",
        "zh": "该工具不接受纯文本。请传入 JSON 对象或空文本。",
    },
    "tool.timeout": {
        "en": "{tool} did not answer within {seconds:g} s and was given up. It may still have had its effect.",
        "zh": "{tool} 在 {seconds:g} 秒内没有响应，已放弃等待。它的操作可能已经生效。",
    },
    "fault.failing": {
        "en": "the service behind {tool} does not answer",
        "zh": "{tool} 背后的服务没有响应",
    },
    "tool.circuit_open": {
        "en": "{tool} has failed too often and is switched off for now. Go on without it.",
        "zh": "{tool} 连续失败次数过多，暂时停用。请不使用它继续。",
    },
    "tool.circuit_open.until": {
        "en": "{tool} has failed too often and is switched off for another {seconds} s. Go on without it.",
        "zh": "{tool} 连续失败次数过多，将继续停用 {seconds} 秒。请不使用它继续。",
    },
    # --- calculator ----------------------------------------------------------------------------------------------
    "calculator.description": {
        "en": "Works out an arithmetic expression: + - * / // % **, parentheses, sqrt, sin, cos, tan, log, log10, "
        "exp, abs, round, min, max, floor, ceil, pi, e. Angles are in radians.",
        "zh": "计算算术表达式：+ - * / // % **、括号、sqrt、sin、cos、tan、log、log10、exp、abs、round、min、max、"
        "floor、ceil、pi、e。角度使用弧度。",
    },
    "calculator.input": {"en": "The expression, for example `(2 + 3) * 4`.", "zh": "表达式，例如 `(2 + 3) * 4`。"},
    "calculator.empty": {"en": "The expression is empty.", "zh": "表达式为空。"},
    "calculator.long": {
        "en": "The expression has {size} characters; at most {limit} are read. Split it.",
        "zh": "表达式有 {size} 个字符，最多读取 {limit} 个。请拆分。",
    },
    "calculator.syntax": {
        "en": "{expression!r} is not an arithmetic expression (look at position {position}).",
        "zh": "{expression!r} 不是算术表达式（请检查第 {position} 个字符）。",
    },
    "calculator.comma": {
        "en": "A comma only separates the arguments of a function. Write 1000, not 1,000.",
        "zh": "逗号只能分隔函数的参数。请写 1000，不要写 1,000。",
    },
    "calculator.name": {"en": "{name!r} is unknown. Known: {names}.", "zh": "未知名称 {name!r}。可用：{names}。"},
    "calculator.unsupported": {
        "en": "{part!r} is not arithmetic. Use numbers, operators and these functions: {names}.",
        "zh": "{part!r} 不是算术运算。请使用数字、运算符和以下函数：{names}。",
    },
    "calculator.zero": {"en": "Division by zero.", "zh": "除数为零。"},
    "calculator.domain": {
        "en": "{part} has no real value: {why}.",
        "zh": "{part} 没有实数值：{why}。",
    },
    "calculator.large": {"en": "The result is too large to work out.", "zh": "结果过大，无法计算。"},
    # --- files ---------------------------------------------------------------------------------------------------
    "file.path": {"en": "A path inside the project.", "zh": "项目内的路径。"},
    "file.outside": {
        "en": "{path!r} is outside of the project. Use a path inside it.",
        "zh": "{path!r} 在项目之外。请使用项目内的路径。",
    },
    "file.bad_path": {"en": "{path!r} is not a path.", "zh": "{path!r} 不是有效路径。"},
    "file.missing": {
        "en": "There is no file {path!r}. List a directory to see what is there.",
        "zh": "没有文件 {path!r}。可以列出目录查看其中的内容。",
    },
    "file.not_regular": {"en": "{path!r} is not a regular file.", "zh": "{path!r} 不是普通文件。"},
    "file.directory": {
        "en": "{path!r} is a directory. Name a file in it.",
        "zh": "{path!r} 是目录。请指定其中的文件。",
    },
    "file.binary": {"en": "{path!r} is not a UTF-8 text file.", "zh": "{path!r} 不是 UTF-8 文本文件。"},
    "file.utf16": {
        "en": "{path!r} is UTF-16 text, and only UTF-8 can be used. Convert it first.",
        "zh": "{path!r} 是 UTF-16 文本，只能使用 UTF-8。请先转换编码。",
    },
    "file.gbk": {
        "en": "{path!r} is not UTF-8; it may be GBK text, and only UTF-8 can be used. Convert it first.",
        "zh": "{path!r} 不是 UTF-8，可能是 GBK 文本，只能使用 UTF-8。请先转换编码。",
    },
    "file.readonly": {
        "en": "{path!r} is write-protected. Leave it as it is, or ask for its permissions to be changed.",
        "zh": "{path!r} 是只读文件。请保持原样，或请求更改其权限。",
    },
    "file.conflict": {
        "en": "{path!r} has changed since it was read. Read it again, then change it.",
        "zh": "{path!r} 在读取之后被修改过。请重新读取后再修改。",
    },
    "file.gone": {
        "en": "{path!r} has been removed since it was read. Read it again to make sure, then write it anew.",
        "zh": "{path!r} 在读取之后被删除。请重新读取确认后再写入。",
    },
    "file.denied": {
        "en": "The operating system does not let {path!r} be used: {why}.",
        "zh": "操作系统不允许使用 {path!r}：{why}。",
    },
    "read.description": {
        "en": "Reads a text file, or lists a directory.",
        "zh": "读取文本文件，或列出目录。",
    },
    "read.offset": {"en": "Lines to skip at the beginning.", "zh": "从开头跳过的行数。"},
    "read.limit": {"en": "Lines to read at most.", "zh": "最多读取的行数。"},
    "read.range": {
        "en": "offset is 0 or more and limit is 1 or more; got offset {offset} and limit {limit}.",
        "zh": "offset 至少为 0，limit 至少为 1；收到 offset {offset}、limit {limit}。",
    },
    "read.beyond": {
        "en": "{path!r} has {total} lines; there is nothing at offset {offset}.",
        "zh": "{path!r} 共 {total} 行，offset {offset} 处没有内容。",
    },
    "read.empty": {"en": "({path} is empty)", "zh": "（{path} 是空文件）"},
    "read.part": {
        "en": "lines {first}-{last} of {total} in {path}; go on with offset {last}.\n{content}",
        "zh": "{path} 共 {total} 行，这里是第 {first}-{last} 行；用 offset {last} 继续读取。\n{content}",
    },
    "read.listing": {"en": "{path}: {count} entries", "zh": "{path}：{count} 项"},
    "read.size": {"en": "{name} ({size} bytes)", "zh": "{name}（{size} 字节）"},
    "write.description": {
        "en": "Writes a text file, in place of what was there.",
        "zh": "写入文本文件，覆盖原有内容。",
    },
    "write.content": {"en": "The whole text of the file.", "zh": "文件的完整内容。"},
    "write.mtime": {
        "en": "The file_mtime_ms that Read gave; the write is refused when the file has changed since.",
        "zh": "Read 返回的 file_mtime_ms；若文件此后被修改则拒绝写入。",
    },
    "write.surrogate": {
        "en": "The content cannot be written as UTF-8 (look at position {position}).",
        "zh": "内容无法写成 UTF-8（请检查第 {position} 个字符）。",
    },
    "write.created": {
        "en": "Created {path} ({lines} lines, {size} bytes).",
        "zh": "已创建 {path}（{lines} 行，{size} 字节）。",
    },
    "write.replaced": {
        "en": "Replaced {path} ({lines} lines, {size} bytes).",
        "zh": "已覆盖 {path}（{lines} 行，{size} 字节）。",
    },
    "edit.description": {
        "en": "Replaces one part of a text file.",
        "zh": "替换文本文件中的一处内容。",
    },
    "edit.old": {
        "en": "The text to replace, exactly as in the file and with enough around it to occur once.",
        "zh": "要替换的原文，须与文件完全一致，并带上足够的上下文使其只出现一次。",
    },
    "edit.new": {"en": "The text to put in its place.", "zh": "替换后的文本。"},
    "edit.empty": {
        "en": "old_string is empty. Give the text to replace, or use Write for a whole file.",
        "zh": "old_string 为空。请给出要替换的原文，或用 Write 写入整个文件。",
    },
    "edit.same": {
        "en": "old_string and new_string are the same. Nothing would change.",
        "zh": "old_string 与 new_string 相同，不会有任何改变。",
    },
    "edit.none": {
        "en": "old_string occurs 0 times in {path!r}. Read the file and copy the text exactly.",
        "zh": "old_string 在 {path!r} 中出现 0 次。请读取文件并原样复制要替换的文本。",
    },
    "edit.near": {
        "en": "old_string occurs 0 times in {path!r}. The nearest is line {line}: {found!r}. "
        "Read the file and copy the text exactly.",
        "zh": "old_string 在 {path!r} 中出现 0 次。最接近的是第 {line} 行：{found!r}。请读取文件并原样复制要替换的文本。",
    },
    "edit.several": {
        "en": "old_string occurs {count} times in {path!r} (lines {lines}). Add text around it until it occurs once.",
        "zh": "old_string 在 {path!r} 中出现 {count} 次（第 {lines} 行）。请加上前后文，使其只出现一次。",
    },
    "edit.which": {
        "en": "Edit {number} of {count}: {why} Nothing was changed.",
        "zh": "第 {number} 处修改（共 {count} 处）：{why} 文件未作任何修改。",
    },
    "edit.done": {
        "en": "Edited {path}: {count} change(s), the first in line {line} ({lines} lines, {size} bytes now).",
        "zh": "已修改 {path}：{count} 处，首处在第 {line} 行（现为 {lines} 行，{size} 字节）。",
    },
    "multiedit.description": {
        "en": "Replaces several parts of a text file, in order: all of them or, if one does not fit, none.",
        "zh": "依次替换文本文件中的多处内容：全部成功，或只要有一处不符就都不修改。",
    },
    "multiedit.edits": {"en": "The replacements, in order.", "zh": "要做的替换，按顺序。"},
    "multiedit.bad": {
        "en": "Edit {number} is not an object with old_string and new_string, both texts.",
        "zh": "第 {number} 处修改不是含文本 old_string 与 new_string 的对象。",
    },
    "multiedit.empty": {
        "en": "edits is empty. Give at least one object with old_string and new_string.",
        "zh": "edits 为空。请至少给出一个含 old_string 与 new_string 的对象。",
    },
    "search.path": {"en": "The folder or file to search.", "zh": "要搜索的目录或文件。"},
    "search.most": {"en": "How many results at most.", "zh": "最多返回多少条结果。"},
    "search.limit": {"en": "limit is 1 or more; got {limit}.", "zh": "limit 至少为 1，收到 {limit}。"},
    "search.none": {"en": "Nothing was found.", "zh": "没有找到。"},
    "search.none.yet": {
        "en": "Nothing was found in the first {files} files; the others were not looked at. Name a folder.",
        "zh": "前 {files} 个文件中没有找到，其余未搜索。请指定目录。",
    },
    "search.more": {
        "en": "the first {count} results; narrow the search to see the others.\n{lines}",
        "zh": "前 {count} 条结果；请缩小搜索范围以查看其余结果。\n{lines}",
    },
    "glob.description": {
        "en": "Finds files by name.",
        "zh": "按名称查找文件。",
    },
    "glob.pattern": {
        "en": "A name such as `*.py`, or a path such as `src/**/*.py`, from the folder searched.",
        "zh": "文件名模式，如 `*.py`；或相对于所搜索目录的路径模式，如 `src/**/*.py`。",
    },
    "grep.description": {
        "en": "Finds lines of text files that contain a text.",
        "zh": "查找文本文件中包含指定文本的行。",
    },
    "grep.pattern": {
        "en": "The text to look for within a line, as it stands: not a regular expression.",
        "zh": "要在行内查找的文本，按原样匹配，不是正则表达式。",
    },
    "grep.glob": {
        "en": "Only in files that fit, such as `*.py` or `src/**/*.py`.",
        "zh": "只搜索符合此模式的文件，如 `*.py` 或 `src/**/*.py`。",
    },
    "grep.case": {"en": "Take capitals and small letters as the same.", "zh": "忽略大小写。"},
    "grep.bad": {
        "en": "pattern must be a text within one line, and not empty.",
        "zh": "pattern 必须是单行文本，且不能为空。",
    },
    # --- todos ---------------------------------------------------------------------------------------------------
    "todo.description": {
        "en": "Keeps the list of what is to be done. At most one item is in progress at a time.",
        "zh": "维护任务清单。同一时间最多只有一项进行中。",
    },
    "todo.summary": {"en": "What the whole task is, in a few words.", "zh": "用几个词概括整个任务。"},
    "todo.todos": {"en": "The items.", "zh": "任务项。"},
    "todo.content": {"en": "What is to be done.", "zh": "要做的事。"},
    "todo.status": {"en": "How far it is.", "zh": "进展状态。"},
    "todo.action": {
        "en": "create: this is the list now. update: items with these contents get these statuses, new ones are added. "
        "clear: forget the list.",
        "zh": "create：以此作为清单。update：内容相同的项更新状态，新的项追加。clear：清空清单。",
    },
    "todo.bad_action": {
        "en": "{action!r} is not an action. Use create, update or clear.",
        "zh": "{action!r} 不是有效操作。请使用 create、update 或 clear。",
    },
    "todo.bad_item": {
        "en": "Item {number} is not a todo: {why}.",
        "zh": "第 {number} 项不是有效任务：{why}。",
    },
    "todo.no_content": {"en": "its content is empty", "zh": "内容为空"},
    "todo.bad_status": {
        "en": "{status!r} is not one of pending, in_progress, completed",
        "zh": "{status!r} 不是 pending、in_progress、completed 之一",
    },
    "todo.not_object": {"en": "it is not an object with content and status", "zh": "不是含 content 与 status 的对象"},
    "todo.several": {
        "en": "{count} items would be in progress: {names}. At most one may be; complete or park the others first.",
        "zh": "将有 {count} 项进行中：{names}。最多只能有一项，请先完成或搁置其他项。",
    },
    "todo.cleared": {"en": "The list is empty now.", "zh": "清单已清空。"},
    "todo.empty": {"en": "Nothing is on the list.", "zh": "清单为空。"},
    "todo.head": {"en": "{summary} ({completed}/{total} done)", "zh": "{summary}（已完成 {completed}/{total}）"},
    "todo.title": {"en": "Todos", "zh": "任务清单"},
    "todo.unsaved": {"en": "{recap}\n(not saved: {why})", "zh": "{recap}\n（未保存：{why}）"},
    # --- web search ----------------------------------------------------------------------------------------------
    "search.web.description": {"en": "Searches the web.", "zh": "搜索网页。"},
    "search.web.input": {"en": "What to search for.", "zh": "要搜索的内容。"},
    "search.web.no_query": {"en": "input is empty. Say what to search for.", "zh": "input 为空。请写明要搜索的内容。"},
    "search.web.way": {"en": "{key} with the package {package}", "zh": "{key} 与软件包 {package}"},
    "search.web.not_configured": {
        "en": "The web search is not configured: it needs {ways}. Set a key and install its package, or go on without.",
        "zh": "网页搜索尚未配置，需要 {ways}。请设置密钥并安装对应软件包，或不使用搜索继续。",
    },
    "search.web.failed": {"en": "The search failed: {why}.", "zh": "搜索失败：{why}。"},
    # --- knowledge -----------------------------------------------------------------------------------------------
    "knowledge.citation.line": {"en": "{where}, line {first}", "zh": "{where}，第 {first} 行"},
    "knowledge.citation.lines": {"en": "{where}, lines {first}-{last}", "zh": "{where}，第 {first}-{last} 行"},
    "knowledge.citation.cell": {"en": "{where}, cell {first}", "zh": "{where}，第 {first} 个单元格"},
    "knowledge.citation.cells": {"en": "{where}, cells {first}-{last}", "zh": "{where}，第 {first}-{last} 个单元格"},
    "knowledge.outside": {"en": "A link leads out of the folder.", "zh": "链接指向文件夹之外。"},
    "rag.description": {
        "en": "Looks up and answers questions from documents: search, ask, add_text, add_document, stats, clear.",
        "zh": "在文档中检索并回答问题：search、ask、add_text、add_document、stats、clear。",
    },
    "rag.do.search": {
        "en": "Searches the documents for the passages that fit a query.",
        "zh": "在文档中搜索与查询相符的段落。",
    },
    "rag.do.ask": {
        "en": "Answers a question from the documents, and says where the answer stands.",
        "zh": "根据文档回答问题，并注明出处。",
    },
    "rag.do.add_text": {"en": "Adds a text to the documents.", "zh": "向文档库添加一段文本。"},
    "rag.do.add_document": {"en": "Adds a file to the documents.", "zh": "向文档库添加一个文件。"},
    "rag.do.stats": {"en": "Says how many documents and chunks there are.", "zh": "查看文档与分块的数量。"},
    "rag.do.clear": {"en": "Removes all documents of a namespace.", "zh": "清空一个命名空间中的全部文档。"},
    "rag.action": {"en": "What to do.", "zh": "要执行的操作。"},
    "rag.query": {"en": "What to search for.", "zh": "要搜索的内容。"},
    "rag.question": {"en": "The question.", "zh": "要回答的问题。"},
    "rag.text": {"en": "The text to add, plain or Markdown.", "zh": "要添加的文本，纯文本或 Markdown。"},
    "rag.file_path": {
        "en": "The file to add, inside the folder of documents.",
        "zh": "要添加的文件，位于文档文件夹之内。",
    },
    "rag.document_id": {
        "en": "A name for the document; without one it is given one.",
        "zh": "文档的名称；不填则自动生成。",
    },
    "rag.replace": {
        "en": "Whether another document of the same name is replaced.",
        "zh": "是否替换同名的其他文档。",
    },
    "rag.limit": {"en": "How many passages at most.", "zh": "最多使用多少个段落。"},
    "rag.namespace": {"en": "The group of documents; usually left out.", "zh": "文档所属的命名空间，通常不填。"},
    "rag.confirm": {"en": "Must be true for the documents to be removed.", "zh": "必须为 true 才会清空。"},
    "rag.bad_action": {
        "en": "{action!r} is not an action. Use one of {names}.",
        "zh": "{action!r} 不是可用的操作。请使用：{names}。",
    },
    "rag.arguments": {"en": "The arguments do not fit {action}: {why}.", "zh": "参数与 {action} 不符：{why}。"},
    "rag.no_text": {"en": "text is empty. Pass what is to be added.", "zh": "text 为空。请填写要添加的内容。"},
    "rag.no_query": {"en": "The query is empty. Say what to look for.", "zh": "查询为空。请写明要查找的内容。"},
    "rag.no_namespace": {
        "en": "There is no namespace {name!r}. Use one of {names}, or add a document to it first.",
        "zh": "没有命名空间 {name!r}。可用：{names}；或先向其中添加文档。",
    },
    "rag.added": {"en": "Added {name!r}: {chunks} chunks.", "zh": "已添加 {name!r}：{chunks} 个分块。"},
    "rag.replaced": {"en": "Replaced {name!r}: {chunks} chunks.", "zh": "已替换 {name!r}：{chunks} 个分块。"},
    "rag.unchanged": {
        "en": "{name!r} is there already, unchanged: {chunks} chunks.",
        "zh": "{name!r} 已存在且内容未变：{chunks} 个分块。",
    },
    "rag.encoding": {"en": "{said} It was read as {encoding}.", "zh": "{said}读取时使用的编码为 {encoding}。"},
    "rag.empty": {
        "en": "{name!r} holds no text, so there is nothing in it to be found.",
        "zh": "{name!r} 没有文字，无法从中检索到内容。",
    },
    "rag.taken": {
        "en": "There is another document {name!r}. Set replace, or use another document_id.",
        "zh": "已有另一个名为 {name!r} 的文档。请设置 replace，或使用其他 document_id。",
    },
    "rag.outside": {
        "en": "{path!r} is outside of the folder that documents may come from. Use a file in {root!r}; the program can "
        "allow another folder with root=.",
        "zh": "{path!r} 在允许读取的文件夹之外。请使用 {root!r} 中的文件；程序可以用 root= 指定其他文件夹。",
    },
    "rag.unreadable": {"en": "The file could not be read: {why}", "zh": "无法读取文件：{why}"},
    "rag.failed": {
        "en": "The documents could not be searched or changed: {why}",
        "zh": "无法检索或更改文档：{why}",
    },
    "rag.model_failed": {
        "en": "The passages were found, but the model did not answer: {why}.",
        "zh": "已找到段落，但模型没有回答：{why}。",
    },
    "rag.nothing": {
        "en": "Nothing in the documents has to do with {query!r}.",
        "zh": "文档中没有与 {query!r} 相关的内容。",
    },
    "rag.hit": {
        "en": "[{number}] {citation} (score {score:.2f})\n{text}",
        "zh": "[{number}] {citation}（得分 {score:.2f}）\n{text}",
    },
    "rag.bare": {"en": "[{number}] {text}", "zh": "[{number}] {text}"},
    "rag.passage": {"en": "[{number}] {citation}\n{text}", "zh": "[{number}] {citation}\n{text}"},
    "rag.sources": {"en": "{answer}\n\nSources:\n{sources}", "zh": "{answer}\n\n来源：\n{sources}"},
    "rag.source": {"en": "[{number}] {citation}", "zh": "[{number}] {citation}"},
    "rag.prompt": {
        "en": "Answer the question from these passages alone. Behind each statement put the number of the passage that "
        "it comes from, such as [1]. When the passages do not hold the answer, say so.\n\n{passages}\n\n"
        "Question: {question}",
        "zh": "请只根据以下段落回答问题。每个陈述之后注明所依据段落的编号，例如 [1]。如果段落中没有答案，请直接说明。\n\n"
        "{passages}\n\n问题：{question}",
    },
    "rag.not_said": {
        "en": "The passages that fit best do not answer this.",
        "zh": "最相关的段落没有回答这个问题。",
    },
    "rag.stats": {
        "en": "{namespace}: {documents} documents, {chunks} chunks, {tokens} tokens",
        "zh": "{namespace}：{documents} 个文档，{chunks} 个分块，{tokens} 个 token",
    },
    "rag.cleared": {"en": "Removed {count} documents from {name!r}.", "zh": "已从 {name!r} 中移除 {count} 个文档。"},
    "rag.unconfirmed": {
        "en": "Nothing was removed. Set confirm to true to remove {count} documents from {name!r}.",
        "zh": "没有移除任何内容。如需从 {name!r} 中移除 {count} 个文档，请将 confirm 设为 true。",
    },
    # --- development log -----------------------------------------------------------------------------------------
    "devlog.description": {
        "en": "Keeps a log of decisions, progress and findings, and finds them again.",
        "zh": "记录决策、进展与发现，并可再次查找。",
    },
    "devlog.action": {
        "en": "append: add an entry. read: find entries. summary: counts and the last entries. clear: forget all.",
        "zh": "append：追加一条。read：查找记录。summary：统计与最近的记录。clear：全部清空。",
    },
    "devlog.category": {
        "en": "For append. decision: a choice and why. progress: something done. issue: a difficulty. solution: how it "
        "was overcome. refactor: a change of form. test: a check and its result. performance: a measurement.",
        "zh": "用于 append。decision：决策与理由。progress：已完成的事。issue：遇到的问题。solution：解决办法。"
        "refactor：重构。test：测试与结果。performance：性能。",
    },
    "devlog.content": {"en": "For append: what is worth remembering.", "zh": "用于 append：值得记下的内容。"},
    "devlog.metadata": {
        "en": "For append: more about it; tags is a list of words to find it by.",
        "zh": "用于 append：附加信息；tags 是便于查找的标签列表。",
    },
    "devlog.filter": {
        "en": "For read: which entries. Without it, all.",
        "zh": "用于 read：查找条件。不给则返回全部。",
    },
    "devlog.filter.category": {"en": "Only this category.", "zh": "只要这一类别。"},
    "devlog.filter.tags": {"en": "Only those with any of these tags.", "zh": "只要带有其中任一标签的记录。"},
    "devlog.filter.query": {"en": "Only those that hold all these words.", "zh": "只要包含所有这些词的记录。"},
    "devlog.filter.limit": {"en": "Only the last so many.", "zh": "只要最近的若干条。"},
    "devlog.bad_action": {
        "en": "{action!r} is not an action. Use append, read, summary or clear.",
        "zh": "{action!r} 不是有效操作。请使用 append、read、summary 或 clear。",
    },
    "devlog.bad_category": {
        "en": "{category!r} is not a category. Use one of {names}.",
        "zh": "{category!r} 不是有效类别。可用：{names}。",
    },
    "devlog.no_content": {"en": "content is empty. Say what is worth remembering.", "zh": "content 为空。请写明内容。"},
    "devlog.bad_metadata": {
        "en": 'metadata is not an object. Pass one such as {{"tags": ["parser"]}}, or leave it out.',
        "zh": "metadata 不是对象。请传入对象（如带 tags 列表），或省略。",
    },
    "devlog.bad_filter": {
        "en": "filter is an object with any of category, tags, query and limit (1 or more), and nothing else.",
        "zh": "filter 是对象，可含 category、tags、query、limit（至少为 1），不能有其他字段。",
    },
    "devlog.added": {"en": "Entry {count}:\n{line}", "zh": "第 {count} 条：\n{line}"},
    "devlog.none": {"en": "No entry fits.", "zh": "没有符合条件的记录。"},
    "devlog.empty": {"en": "The log is empty.", "zh": "日志为空。"},
    "devlog.head": {"en": "{count} entries ({counts}). The last:", "zh": "共 {count} 条（{counts}）。最近的："},
    "devlog.cleared": {"en": "{count} entries were removed.", "zh": "已清除 {count} 条记录。"},
    "devlog.unsaved": {"en": "{said}\n(not saved: {why})", "zh": "{said}\n（未保存：{why}）"},
    # --- memory --------------------------------------------------------------------------------------------------
    "memory.description": {
        "en": "Remembers things beyond this conversation and finds them again.",
        "zh": "在对话之外记住信息，并可再次查找。",
    },
    "memory.add": {
        "en": "Remembers something. Use it for what will matter later: facts about the user, decisions, results.",
        "zh": "记住一条信息。用于以后会用到的内容：用户的情况、决定、结果。",
    },
    "memory.search": {
        "en": "Finds what was remembered, best match first.",
        "zh": "查找记住的内容，最匹配的在前。",
    },
    "memory.summary": {
        "en": "Shows the most important memories.",
        "zh": "列出最重要的记忆。",
    },
    "memory.stats": {
        "en": "Counts the memories of each kind, with its limits.",
        "zh": "统计各类记忆的数量及其上限。",
    },
    "memory.update": {
        "en": "Changes a memory. Only what is given changes.",
        "zh": "修改一条记忆，只改给出的部分。",
    },
    "memory.remove": {
        "en": "Removes one memory.",
        "zh": "删除一条记忆。",
    },
    "memory.forget": {
        "en": "Removes the memories that are unimportant, old, or too many.",
        "zh": "清理不重要、过旧或过多的记忆。",
    },
    "memory.consolidate": {
        "en": "Moves important memories to a kind that lasts.",
        "zh": "把重要的记忆转入长期保存的类别。",
    },
    "memory.clear_all": {
        "en": "Removes all memories.",
        "zh": "清空全部记忆。",
    },
    "memory.action": {
        "en": "What to do: {names}.",
        "zh": "要做的操作：{names}。",
    },
    "memory.content": {
        "en": "What to remember, in a sentence that is clear without this conversation.",
        "zh": "要记住的内容，写成脱离对话也能看懂的一句话。",
    },
    "memory.memory_type": {
        "en": "working: for this task. episodic: what happened. semantic: what is always true.",
        "zh": "working：当前任务。episodic：发生过的事。semantic：长期成立的事实。",
    },
    "memory.importance": {
        "en": "0 (may be forgotten) to 1 (must stay).",
        "zh": "重要性，0（可以忘记）到 1（必须保留）。",
    },
    "memory.tags": {"en": "Words to sort it by.", "zh": "用于归类的标签。"},
    "memory.metadata": {"en": "More about it.", "zh": "附加信息。"},
    "memory.query": {"en": "What to look for.", "zh": "要查找的内容。"},
    "memory.limit": {"en": "How many at most.", "zh": "最多返回多少条。"},
    "memory.memory_types": {"en": "Only these kinds.", "zh": "只查这些类别。"},
    "memory.min_importance": {"en": "Only those at least so important.", "zh": "只要重要性不低于此值的。"},
    "memory.memory_id": {"en": "Its id, such as m3.", "zh": "记忆的编号，例如 m3。"},
    "memory.strategy": {
        "en": "importance_based: those below the threshold. time_based: those older than max_age_days. "
        "capacity_based: all but the best so many.",
        "zh": "importance_based：低于 threshold 的。time_based：早于 max_age_days 天的。capacity_based：只留最好的若干条。",
    },
    "memory.threshold": {"en": "For importance_based: 0 to 1.", "zh": "用于 importance_based：0 到 1。"},
    "memory.max_age_days": {"en": "For time_based: days.", "zh": "用于 time_based：天数。"},
    "memory.capacity": {
        "en": "For capacity_based: how many of each kind stay.",
        "zh": "用于 capacity_based：每类保留多少条。",
    },
    "memory.from_type": {"en": "The kind to take from.", "zh": "来源类别。"},
    "memory.to_type": {"en": "The kind to move to.", "zh": "目标类别。"},
    "memory.importance_threshold": {
        "en": "Only those at least so important.",
        "zh": "只转移重要性不低于此值的。",
    },
    "memory.bad_form": {
        "en": "{given} is not an object with an action. Pass one such as {example}; the actions are {names}.",
        "zh": "{given} 不是带 action 的对象。请传入例如 {example}；可用操作：{names}。",
    },
    "memory.bad_kind": {
        "en": "{kind!r} is no kind of memory here. Use one of {names}.",
        "zh": "没有 {kind!r} 这类记忆。可用：{names}。",
    },
    "memory.bad_strategy": {
        "en": "{strategy!r} is not a way to forget. Use one of {names}.",
        "zh": "{strategy!r} 不是有效的遗忘策略。可用：{names}。",
    },
    "memory.bad_importance": {
        "en": "importance {importance} is not from 0 to 1. Pass a number in between, such as 0.5.",
        "zh": "importance {importance} 不在 0 到 1 之间。请传入其间的数，例如 0.5。",
    },
    "memory.bad_capacity": {
        "en": "capacity {capacity} is below 0. Pass how many are to stay.",
        "zh": "capacity {capacity} 小于 0。请传入要保留的条数。",
    },
    "memory.no_content": {"en": "content is empty. Say what to remember.", "zh": "content 为空。请写明要记住的内容。"},
    "memory.no_query": {"en": "query is empty. Say what to look for.", "zh": "query 为空。请写明要查找的内容。"},
    "memory.no_judge": {
        "en": "There is no model to judge the importance. Pass a number from 0 to 1, or set up a judge.",
        "zh": "没有可用于评估重要性的模型。请传入 0 到 1 的数，或设置 judge。",
    },
    "memory.same_kind": {
        "en": "from_type and to_type are both {kind!r}. Name two kinds.",
        "zh": "from_type 与 to_type 都是 {kind!r}。请指定两个不同的类别。",
    },
    "memory.too_long": {
        "en": "content has about {tokens} tokens, and {kind} memory holds {most}. Shorten it, or use another kind.",
        "zh": "content 约有 {tokens} 个 token，而 {kind} 记忆最多容纳 {most} 个。请缩短，或改用其他类别。",
    },
    "memory.unknown_id": {
        "en": "There is no memory {id!r}. Search for it to see its id.",
        "zh": "没有编号为 {id!r} 的记忆。请先查找以获得编号。",
    },
    "memory.added": {"en": "Remembered:\n{line}", "zh": "已记住：\n{line}"},
    "memory.updated": {"en": "Changed:\n{line}", "zh": "已修改：\n{line}"},
    "memory.removed": {"en": "{id} was removed.", "zh": "已删除 {id}。"},
    "memory.unjudged": {
        "en": "(no judgement of its importance: {why}; {importance:g} was taken)",
        "zh": "（未能评估重要性：{why}；采用 {importance:g}）",
    },
    "memory.found": {"en": "{count} found:\n{lines}", "zh": "找到 {count} 条：\n{lines}"},
    "memory.none": {
        "en": "No memory fits {query!r}. Try other words, or see the summary.",
        "zh": "没有与 {query!r} 相符的记忆。请换个说法，或查看摘要。",
    },
    "memory.empty": {"en": "Nothing is remembered.", "zh": "没有任何记忆。"},
    "memory.head": {"en": "Memories: {counts}. The most important:", "zh": "记忆：{counts}。最重要的："},
    "memory.stats.line": {
        "en": "- {kind}: {count} of {most}, {tokens} tokens, importance {importance:.2f} on average",
        "zh": "- {kind}：{count} / {most} 条，{tokens} 个 token，平均重要性 {importance:.2f}",
    },
    "memory.stats.head": {"en": "{count} memories of {user}:", "zh": "{user} 共有 {count} 条记忆："},
    "memory.unlimited": {"en": "any number", "zh": "不限"},
    "memory.forgotten": {"en": "{count} forgotten:\n{lines}", "zh": "已遗忘 {count} 条：\n{lines}"},
    "memory.forgotten.none": {"en": "Nothing had to be forgotten.", "zh": "没有需要遗忘的记忆。"},
    "memory.consolidated": {
        "en": "{count} moved from {source} to {target}:\n{lines}",
        "zh": "{count} 条已从 {source} 转入 {target}：\n{lines}",
    },
    "memory.consolidated.none": {
        "en": "Nothing in {source} memory is at least {threshold:g} important.",
        "zh": "{source} 记忆中没有重要性达到 {threshold:g} 的内容。",
    },
    "memory.cleared": {"en": "{count} memories were removed.", "zh": "已清空 {count} 条记忆。"},
    "memory.gone": {"en": "- [{id}] ({kind}) {content}: {why}", "zh": "- [{id}] ({kind}) {content}：{why}"},
    "memory.gone.head": {"en": "Forgotten meanwhile:", "zh": "同时遗忘了："},
    "memory.gone.capacity": {"en": "too many memories, and it was worth least", "zh": "数量超限，且价值最低"},
    "memory.gone.tokens": {"en": "too many tokens, and it was worth least", "zh": "token 超限，且价值最低"},
    "memory.gone.expired": {"en": "its time had run out", "zh": "已过期"},
    "memory.gone.importance": {"en": "its importance was {importance:.2f}", "zh": "重要性为 {importance:.2f}"},
    "memory.gone.age": {"en": "it was of {day}", "zh": "写于 {day}"},
    "memory.damaged": {"en": "(the store has a gap: {problems})", "zh": "（存储有缺失：{problems}）"},
    "memory.unavailable": {
        "en": "{why} This does not mean that nothing is remembered.",
        "zh": "{why}（这不表示没有记忆。）",
    },
    "memory.conversation": {"en": "User: {user}\nAssistant: {assistant}", "zh": "用户：{user}\n助手：{assistant}"},
    "memory.judge.ask": {
        "en": "How important will it be to remember this later? Answer with one number from 0 (chatter) to 1 (must not "
        "be forgotten), and nothing else.\n\n{content}",
        "zh": "以后记得下面这条信息有多重要？只回答一个数：从 0（闲聊）到 1（绝不能忘）。\n\n{content}",
    },
    "memory.judge.odd": {"en": "the model gave no single number", "zh": "模型没有给出单一的数"},
    # --- skills --------------------------------------------------------------------------------------------------
    "skill.description": {
        "en": "Loads a skill: instructions for a kind of task. Load the one that fits before you begin.",
        "zh": "加载技能：针对某类任务的说明。开始之前先加载合适的技能。",
    },
    "skill.list": {"en": "{text}\nSkills:\n{listed}", "zh": "{text}\n可用技能：\n{listed}"},
    "skill.empty": {"en": "(none)", "zh": "（无）"},
    "skill.skill": {"en": "The name of the skill.", "zh": "技能名称。"},
    "skill.args": {"en": "What to apply it to, if it takes that.", "zh": "应用技能的对象（如果需要）。"},
    "skill.with": {"en": "{body}\n\nArguments: {arguments}", "zh": "{body}\n\n参数：{arguments}"},
    "skill.files": {"en": "{body}\n\nFiles of this skill:\n{listed}", "zh": "{body}\n\n该技能的文件：\n{listed}"},
    "skill.broken": {
        "en": "The skill {name!r} cannot be used: {file}, line {line}: {why}. Go on without it.",
        "zh": "技能 {name!r} 无法使用：{file} 第 {line} 行：{why}。请不使用它继续。",
    },
    "skill.unknown": {
        "en": "There is no skill {name!r}. Use one of: {names}.",
        "zh": "没有名为 {name!r} 的技能。可用的技能：{names}。",
    },
    "skill.unknown.empty": {
        "en": "There is no skill {name!r}: there are none at all. Go on without one.",
        "zh": "没有名为 {name!r} 的技能：当前没有任何技能。请不使用技能继续。",
    },
    # --- servers of tools ---------------------------------------------------------------------------------------
    "mcp.unavailable": {
        "en": "The server {server!r} cannot be reached ({why}). Start it, or go on without its tools.",
        "zh": "无法连接服务器 {server!r}（{why}）。请启动它，或不使用其工具继续。",
    },
    "mcp.lost": {
        "en": "The connection to the server {server!r} was lost ({why}); the call may or may not have had its effect. "
        "The next call connects anew.",
        "zh": "与服务器 {server!r} 的连接已断开（{why}）；此调用可能已经生效，也可能没有。下次调用将重新连接。",
    },
    "mcp.failed": {"en": "the tool failed and did not say why", "zh": "工具执行失败，未说明原因"},
    "mcp.image": {"en": "(an image, {kind}, {size} bytes)", "zh": "（图片，{kind}，{size} 字节）"},
    "mcp.audio": {"en": "(a sound, {kind}, {size} bytes)", "zh": "（音频，{kind}，{size} 字节）"},
    "mcp.link": {"en": "(see {name}: {uri})", "zh": "（参见 {name}：{uri}）"},
    "mcp.resource": {"en": "(a file that is no text: {uri})", "zh": "（非文本文件：{uri}）"},
    # --- demo tools ----------------------------------------------------------------------------------------------
    "demo.weather": {"en": "{city}: {sky}, {degrees:g} {unit}", "zh": "{city}：{sky}，{degrees:g} {unit}"},
    # limits
    "limits.steps_left": {
        "en": "Notice: {left} step(s) are left before you must answer without tools. Work towards the answer now.",
        "zh": "提示：还剩 {left} 步，之后必须不使用工具直接作答。请尽快得出答案。",
    },
    "limits.repeated": {
        "en": "Notice: {name} was called {times} times with the same arguments and gave the same result. "
        "Calling it again will end the loop; use the result, or do something else.",
        "zh": "提示：{name} 已用相同参数调用 {times} 次，结果没有变化。再次调用将结束循环；请使用已有结果，或换一种做法。",
    },
    "limits.last_call": {
        "en": "Notice: no more tools can be used. Answer now with what you know, and say what is missing.",
        "zh": "提示：不能再使用工具。请根据已知内容作答，并说明还缺少什么。",
    },
    "limits.not_run": {
        "en": "not run: the limit of this question was reached before the call",
        "zh": "未执行：在此调用之前已达到本次提问的上限",
    },
    "limits.too_many_calls": {
        "en": "not run: {name} may be called {most} times for one question, and was",
        "zh": "未执行：每次提问最多可调用 {name} {most} 次，已达到上限",
    },
    "limits.little_left": {
        "en": "Notice: little is left of what this question may cost: {what} {left}. Work towards the answer now.",
        "zh": "提示：本次提问的额度所剩不多：{what} {left}。请尽快得出答案。",
    },
    "limits.budget.max_total_steps": {"en": "requests", "zh": "请求次数"},
    "limits.budget.max_cost": {"en": "money", "zh": "费用"},
    "limits.budget.max_seconds": {"en": "seconds", "zh": "秒数"},
    "limits.no_share": {
        "en": "not run: nothing is left of this question's budget that a sub-agent could work with",
        "zh": "未执行：本次提问的额度已用完，无法再分给子代理",
    },
    "limits.no_answer": {
        "en": "Stopped without an answer ({reason}). The last result was: {last}",
        "zh": "未能得出答案即停止（{reason}）。最后的结果是：{last}",
    },
    "limits.nothing": {"en": "none", "zh": "无"},
    # calls that do not run
    "call.refused": {"en": "refused: {reason}", "zh": "已拒绝：{reason}"},
    "call.refused_why": {"en": "a person did not allow this call", "zh": "此调用未获准许"},
    "permission.refused": {"en": "refused by a rule: {reason}", "zh": "已被规则拒绝：{reason}"},
    "permission.why": {
        "en": "this call of {name} is not allowed here; go on without it, or say what you cannot do",
        "zh": "此处不允许这样调用 {name}；请换一种做法，或说明无法完成的部分",
    },
    "permission.failed": {
        "en": "the rule for {name} could not be applied ({error})",
        "zh": "无法应用针对 {name} 的规则（{error}）",
    },
    "call.superseded": {
        "en": "not run: a new question came before this call",
        "zh": "未执行：在此调用之前提出了新的问题",
    },
    # ReAct
    "react.system": {
        "en": "You solve the task step by step. Before you act, call Thought with your reasoning. Then call the tools you "
        "need; independent calls may go in one reply. When you know the answer, call Finish with it.",
        "zh": "请一步一步完成任务。行动之前，先调用 Thought 写下你的推理；然后调用需要的工具，互不依赖的调用可以放在同一次回复里。"
        "得出答案后，调用 Finish 给出答案。",
    },
    "react.thought": {
        "en": "Write down your reasoning before the next action.",
        "zh": "在下一步行动之前写下你的推理。",
    },
    "react.thought.reasoning": {
        "en": "What you know, and what you will do next and why.",
        "zh": "已知什么，下一步做什么，为什么。",
    },
    "react.finish": {"en": "Give the final answer and end the task.", "zh": "给出最终答案并结束任务。"},
    "react.finish.answer": {"en": "The complete answer to the question.", "zh": "对问题的完整回答。"},
    "react.reasoning": {"en": "Reasoning: {reasoning}", "zh": "推理: {reasoning}"},
    # Reflection
    "reflection.initial": {"en": "{task}", "zh": "{task}"},
    "reflection.critic": {
        "en": "You are a strict and fair critic. Judge whether the answer does what the task asks: what is wrong, what is missing, what could be plainer. Say only what matters. If nothing does, reply: no need for improvement",
        "zh": "你是一位严格而公正的评审。请判断回答是否完成了任务：哪里有误，缺少什么，哪里可以更清楚。只说重要的问题。如果没有，请回复：无需改进",
    },
    "reflection.reflect": {
        "en": "Task: {task}\n\nAnswer:\n{content}\n\nWhat has to be improved? If nothing has, reply: no need for improvement",
        "zh": "任务：{task}\n\n回答：\n{content}\n\n哪些地方需要改进？如果没有，请回复：无需改进",
    },
    "reflection.refine": {
        "en": "Task: {task}\n\nYour last answer:\n{last_attempt}\n\nWhat a critic says of it:\n{feedback}\n\nWrite the improved answer, and nothing else.",
        "zh": "任务：{task}\n\n你上一次的回答：\n{last_attempt}\n\n评审意见：\n{feedback}\n\n请写出改进后的回答，不要写别的内容。",
    },
    # PlanSolve
    "plan.system": {
        "en": "You plan. Cut the question into the fewest steps that can be carried out one after another, each a sentence that makes sense by itself. A question that needs no steps has an empty plan.",
        "zh": "你负责制定计划。请把问题拆成尽可能少的、可以依次执行的步骤，每一步是一句独立成立的话。不需要步骤的问题，计划为空。",
    },
    "plan.tool": {
        "en": "Writes down the plan: the steps that answer the question, in order.",
        "zh": "写下计划：按顺序列出回答问题所需的步骤。",
    },
    "plan.ask": {"en": "Question: {question}", "zh": "问题：{question}"},
    "plan.unforced": {
        "en": "Notice: call generate_plan with the steps. If you cannot, write them as a JSON list of strings.",
        "zh": "提示：请用步骤调用 generate_plan；如果无法调用，请写成 JSON 字符串列表。",
    },
    "plan.executor": {
        "en": "You carry out one step of a plan at a time. Use the tools you need, and answer with the result of the step.",
        "zh": "你每次执行计划中的一个步骤。可使用需要的工具，并以该步骤的结果作答。",
    },
    "plan.step": {
        "en": "Question: {question}\n\nPlan:\n{plan}\n\nDone so far:\n{history}\n\nNow carry out this step: {step}",
        "zh": "问题：{question}\n\n计划：\n{plan}\n\n已完成：\n{history}\n\n现在执行这一步：{step}",
    },
    "plan.empty": {
        "en": "The plan is empty: there was nothing to carry out.",
        "zh": "计划为空：没有需要执行的步骤。",
    },
    "plan.none": {
        "en": "No plan could be read from the planner's reply: {said}",
        "zh": "无法从规划者的回复中读出计划：{said}",
    },
    # sub-agents
    "task.description": {
        "en": "Hands a part of the task to a sub-agent with a conversation of its own, and gives back its answer.",
        "zh": "把任务的一部分交给拥有独立对话的子代理，并返回它的回答。",
    },
    "task.task": {
        "en": "The part to do, complete in itself: the sub-agent sees nothing else.",
        "zh": "要完成的部分，须独立完整：子代理看不到其他内容。",
    },
    "task.agent_type": {"en": "The pattern of the sub-agent.", "zh": "子代理的范式。"},
    "task.tool_filter": {
        "en": "Tools of the sub-agent: none = all of yours, readonly = only those that change nothing, full = all but commands.",
        "zh": "子代理可用的工具：none = 与你相同，readonly = 仅只读工具，full = 除命令执行外的全部工具。",
    },
    "task.tools": {
        "en": "Names of the tools the sub-agent may use. Left out: all that you have. An empty list: none.",
        "zh": "子代理可使用的工具名称。省略：与您相同的全部工具。空列表：不使用任何工具。",
    },
    "task.tools.unknown": {"en": "there is no tool {name!r} to hand on", "zh": "没有可交给子代理的工具 {name!r}"},
    "task.no_tools": {
        "en": "You have no tools for this task. Answer from what you know, and say what you cannot find out.",
        "zh": "此任务没有可用的工具。请根据已知内容作答，并说明无法查明的部分。",
    },
    "task.max_steps": {"en": "Steps the sub-agent may take.", "zh": "子代理最多可执行的步数。"},
    "subagent.simple": {
        "en": "You do one part of a larger task. Do exactly that part, and answer with its result.",
        "zh": "你负责一个较大任务中的一部分。只完成这一部分，并以结果作答。",
    },
    "subagent.react": {
        "en": "You do one part of a larger task, step by step. Call Thought before you act, use the tools you need, and call Finish with the result.",
        "zh": "你负责一个较大任务中的一部分，请逐步完成。行动前调用 Thought，使用需要的工具，最后调用 Finish 给出结果。",
    },
    "subagent.reflection": {
        "en": "You write one part of a larger task, and improve it until it does what was asked.",
        "zh": "你负责撰写较大任务中的一部分，并不断改进，直到满足要求。",
    },
    "subagent.plan": {
        "en": "You do one part of a larger task: plan it, then carry the plan out, and answer with the result.",
        "zh": "你负责一个较大任务中的一部分：先制定计划，再执行计划，并以结果作答。",
    },
    # why the next action is what it is
    "why.ask.question": {"en": "the question has not been answered yet", "zh": "问题还没有得到回答"},
    "why.ask.answered": {
        "en": "the model has not seen the results yet",
        "zh": "模型还没有看到结果",
    },
    "why.ask.last": {
        "en": "{reason} is reached: one last answer, without tools",
        "zh": "已达到 {reason}：最后一次作答，不使用工具",
    },
    "why.call": {"en": "the model asked for {names}", "zh": "模型请求调用 {names}"},
    "why.wait": {"en": "{names} needs a person's approval", "zh": "{names} 需要人工批准"},
    "why.empty": {"en": "nothing has been asked yet", "zh": "还没有提出问题"},
    "why.stop.finished": {"en": "the model gave its answer", "zh": "模型给出了答案"},
    "why.stop.other": {"en": "{reason} is reached", "zh": "已达到 {reason}"},
    "why.over": {"en": "the question is closed: {reason}", "zh": "问题已结束：{reason}"},
    "why.returned": {"en": "the call {id} is answered without being run", "zh": "调用 {id} 不执行，直接给出结果"},
    "why.spawned": {"en": "a child run begins for {id}", "zh": "为 {id} 启动一个子运行"},
    "why.noted": {"en": "the agent writes down {key}", "zh": "智能体记录 {key}"},
    "why.told": {"en": "something is said", "zh": "写入一条消息"},
    "why.compacted": {"en": "the history is shortened", "zh": "历史被压缩"},
    "why.no_agent": {"en": "this is a finished run without its agent", "zh": "这是一个没有智能体的已完成运行"},
    # --- cutting and compaction ----------------------------------------------------------------------------------
    "cut.notice": {
        "en": "[Shortened: {part} are shown, {kept_lines} of {total_lines} lines and {kept_bytes} of {total_bytes} bytes; left out are {dropped_lines} lines and {dropped_bytes} bytes.{note}]",
        "zh": "[已截断：显示{part}，共 {total_lines} 行 {total_bytes} 字节，保留 {kept_lines} 行 {kept_bytes} 字节，省略 {dropped_lines} 行 {dropped_bytes} 字节。{note}]",
    },
    "cut.short": {
        "en": "[{dropped_bytes} of {total_bytes} bytes left out]",
        "zh": "[省略 {dropped_bytes}/{total_bytes} 字节]",
    },
    "cut.head": {"en": "the first lines", "zh": "开头"},
    "cut.tail": {"en": "the last lines", "zh": "结尾"},
    "cut.head_tail": {"en": "the first and the last lines", "zh": "开头和结尾"},
    "cut.summary": {"en": "the key lines", "zh": "关键行"},
    "cut.json": {
        "en": " The whole is JSON; this part of it is not.",
        "zh": "完整内容是 JSON，此处只是其中一部分，不是合法的 JSON。",
    },
    "cut.saved": {"en": " The whole output is in {path}.", "zh": "完整输出保存在 {path}。"},
    "cut.unsaved": {"en": " The whole output could not be saved ({why}).", "zh": "完整输出未能保存（{why}）。"},
    "digest.messages": {
        "en": "{count} earlier message(s) were taken out here. In short:",
        "zh": "此处省略了较早的 {count} 条消息，概要如下：",
    },
    "digest.earlier": {"en": "Before that: {text}", "zh": "更早之前：{text}"},
    "digest.tools": {"en": "Tools called: {tools}", "zh": "调用过的工具：{tools}"},
    "digest.asked": {"en": "Asked: {text}", "zh": "提问：{text}"},
    "digest.answered": {"en": "Answered: {text}", "zh": "回答：{text}"},
    "digest.result": {"en": "Last result of {name}: {text}", "zh": "{name} 的最后结果：{text}"},
    "summarizer.system": {
        "en": "You summarise the earlier part of a conversation between a user and an agent, so that the agent can go on "
        "without it. Keep what was asked, decided, found out and left open; keep names, numbers, paths and errors "
        "exactly. Write plain text and nothing else.",
        "zh": "你负责总结用户与智能体对话中较早的部分，使智能体不看原文也能继续工作。保留提出的要求、做出的决定、得到的结果和未完成的事项；"
        "名称、数字、路径和错误信息须准确保留。只输出纯文本。",
    },
    "summarizer.task": {
        "en": "Summarise this conversation in at most {tokens} tokens:\n\n{transcript}",
        "zh": "请用不超过 {tokens} 个 token 总结以下对话：\n\n{transcript}",
    },
    # wire
    "wire.summary": {"en": "Summary of the conversation so far:", "zh": "此前对话的摘要："},
    "wire.go_on": {"en": "Go on.", "zh": "请继续。"},
    "wire.allowed": {"en": "One of: {values}.", "zh": "取值之一：{values}。"},
    "wire.unanswered": {
        "en": "not answered: there is no result of this call",
        "zh": "未得到结果：此调用没有返回结果",
    },
    "wire.no_words": {"en": "failed without a word", "zh": "失败，没有给出任何说明"},
    "wire.not_json": {
        "en": "The arguments are not valid JSON at position {position}: {reason}. Call again with one JSON object.",
        "zh": "参数在位置 {position} 处不是合法的 JSON：{reason}。请用一个 JSON 对象重新调用。",
    },
    "wire.not_object": {
        "en": "The arguments are {kind}, not an object. Call again with one JSON object.",
        "zh": "参数是 {kind}，不是对象（not an object）。请用一个 JSON 对象重新调用。",
    },
    # the offline model
    "offline.who": {
        "en": "I am the built-in offline model of Hello Agents: a rule-based stand-in for a language model. I match "
        "words of your question to the tools on offer; I know nothing else.",
        "zh": "我是 Hello Agents 内置的离线模型：用规则代替语言模型。我把问题中的词与可用的工具对应起来，除此之外一无所知。",
    },
    "offline.can": {
        "en": "I am rule-based: I split a question into requests, call the tools that fit, and report what they return.",
        "zh": "我按规则工作：把问题拆成若干请求，调用合适的工具，并报告它们返回的内容。",
    },
    "offline.hello": {
        "en": "Hello. I am the built-in offline model; I follow fixed rules.",
        "zh": "你好。我是内置的离线模型，按固定规则工作。",
    },
    "offline.thanks": {"en": "You are welcome.", "zh": "不客气。"},
    "offline.met": {
        "en": "Hello {name}. I can tell you your name as long as it is in this conversation.",
        "zh": "你好，{name}。只要它还在这段对话里，我就能说出你的名字。",
    },
    "offline.name": {"en": "Your name is {name}.", "zh": "你叫{name}。"},
    "offline.no_name": {
        "en": "You have not told me your name in this conversation.",
        "zh": "在这段对话里，你还没有告诉我你的名字。",
    },
    "offline.asked_first": {"en": "Your first question was: “{question}”", "zh": "你的第一个问题是：“{question}”"},
    "offline.asked_last": {"en": "Your last question was: “{question}”", "zh": "你的上一个问题是：“{question}”"},
    "offline.answered": {"en": "My last answer was: “{answer}”", "zh": "我的上一个回答是：“{answer}”"},
    "offline.no_answer": {"en": "I have not answered anything yet.", "zh": "我还没有回答过任何问题。"},
    "offline.first_now": {"en": "This is your first question.", "zh": "这是你的第一个问题。"},
    "offline.count": {
        "en": "This conversation has {count} question(s), this one included.",
        "zh": "这段对话共有 {count} 个问题，包括这一个。",
    },
    "offline.cannot": {
        "en": "I cannot answer “{request}”: I am the built-in offline model, which follows rules and knows no facts.",
        "zh": "我无法回答“{request}”：我是内置的离线模型，按规则工作，不具备知识。",
    },
    "offline.tools": {
        "en": "Tools on offer: {names}. Try for example: “{example}”",
        "zh": "可用的工具：{names}。可以试试：“{example}”",
    },
    "offline.no_tools": {
        "en": "No tools are on offer. Arithmetic is something I can do myself: try “What is 12 * 9?”",
        "zh": "当前没有可用的工具。算术我可以自己完成，例如：“12 × 9 等于多少？”",
    },
    "offline.example.todo": {"en": "Make a todo list: read, write, rest", "zh": "创建待办清单：阅读、写作、休息"},
    "offline.example.weather": {"en": "What is the weather in Paris?", "zh": "北京的天气怎么样？"},
    "offline.example.convert": {"en": "Convert 10 km to miles", "zh": "10 公里等于多少英里？"},
    "offline.example.price": {"en": "What is the price of 3 apples?", "zh": "3 个苹果多少钱？"},
    "offline.example.list": {"en": "List the files", "zh": "列出目录里的文件"},
    "offline.example.search": {"en": "Search the notes for Mars", "zh": "在笔记里搜索火星"},
    "offline.example.read": {"en": "Read notes.md", "zh": "读取 notes.md"},
    "offline.example.write": {"en": "Write 'hello' to hello.txt", "zh": "把“你好”写入 hello.txt"},
    "offline.example.arithmetic": {"en": "What is 12 * 9?", "zh": "12 × 9 等于多少？"},
    "offline.example.other": {"en": "use {name} with …", "zh": "使用 {name} ……"},
    "offline.thought": {
        "en": "I will {steps}, and answer from what comes back.",
        "zh": "我将{steps}，再根据结果作答。",
    },
    "offline.thought.step": {"en": "call {name} for “{request}”", "zh": "调用 {name} 处理“{request}”"},
    "offline.thought.then": {"en": ", then ", "zh": "，然后"},
    "offline.retry": {
        "en": "{name} failed ({reason}). I try {call} instead.",
        "zh": "{name} 失败（{reason}）。改为尝试 {call}。",
    },
    "offline.worked_out": {"en": "{expression} = {value}", "zh": "{expression} = {value}"},
    "offline.not_worked_out": {
        "en": "I could not work out “{request}”: there are no numbers to work with.",
        "zh": "无法计算“{request}”：没有可用的数字。",
    },
    "offline.ask": {
        "en": "For “{request}” I would call {name}, but your question does not say {parameter}{hint}. Please give it.",
        "zh": "对于“{request}”，我会调用 {name}，但问题里没有给出 {parameter}{hint}。请补充。",
    },
    "offline.blocked": {
        "en": "Not done: “{request}”, because it needs a result that is not there.",
        "zh": "未完成：“{request}”，因为它需要的结果没有得到。",
    },
    "offline.not_reached": {
        "en": "Not done: “{request}”; there was no call left for it.",
        "zh": "未完成：“{request}”，没有剩余的调用机会。",
    },
    "offline.failed": {"en": "{name} failed: {reason}.", "zh": "{name} 失败：{reason}。"},
    "offline.failed_twice": {
        "en": "{name} failed, a second try too: {reason}.",
        "zh": "{name} 再次尝试后仍然失败：{reason}。",
    },
    "offline.failed_looked": {
        "en": "{name} failed: {reason}. I looked at what is there and found nothing like it.",
        "zh": "{name} 失败：{reason}。我查看了现有内容，没有找到相近的名称。",
    },
    "offline.partial": {"en": "{text} (this is only a part of it)", "zh": "{text}（这只是一部分）"},
    "offline.empty": {"en": "{name} returned nothing.", "zh": "{name} 没有返回内容。"},
    "offline.long": {
        "en": "I read only the first {limit} characters of the question.",
        "zh": "我只读取了问题的前 {limit} 个字符。",
    },
    "offline.satisfied": {"en": "No need for improvement.", "zh": "无需改进。"},
    "offline.too_thin": {
        "en": "The answer is empty. Answer the task itself.",
        "zh": "回答是空的。请直接回答任务。",
    },
    "offline.object.failed": {
        "en": "This did not work: {line} Try it once more or in another way.",
        "zh": "这一处没有成功：{line} 请再试一次，或换一种做法。",
    },
    "offline.object.missing": {
        "en": "The task names {names}; the answer does not speak of it. Say what came of it.",
        "zh": "任务中提到了 {names}，回答没有提及。请说明结果。",
    },
    "offline.asked_all": {"en": "So far you asked:\n{questions}", "zh": "到目前为止，你问过：\n{questions}"},
    "offline.instead": {
        "en": "“{wanted}” was not found; I took “{taken}”.",
        "zh": "没有找到“{wanted}”，改用“{taken}”。",
    },
    "offline.named": {"en": "{name}: {text}", "zh": "{name}: {text}"},
    "offline.named_lines": {"en": "{name}:\n{text}", "zh": "{name}:\n{text}"},
    "offline.alone.read": {"en": "{name} says: {text}", "zh": "{name} 的内容是：{text}"},
    "offline.alone.read_lines": {"en": "{name} says:\n{text}", "zh": "{name} 的内容如下：\n{text}"},
    "offline.alone.weather": {"en": "The weather in {name}: {text}", "zh": "{name}的天气：{text}"},
    "offline.here": {"en": "this folder", "zh": "当前目录"},
    "offline.listing": {"en": "In {name} there is:\n{text}", "zh": "{name}里有：\n{text}"},
    "offline.listing.empty": {"en": "There is nothing in {name}.", "zh": "{name}里没有任何内容。"},
    "offline.comma": {"en": ", ", "zh": "、"},
    "offline.thought.report": {"en": "put the report together", "zh": "整理成报告"},
    "offline.report.project": {
        "en": "Report on the project: {folders} folder(s) and {files} file(s) at the top level.",
        "zh": "项目结构报告：顶层共有 {folders} 个文件夹、{files} 个文件。",
    },
    "offline.report.folder": {
        "en": "Report on {name}: {folders} folder(s) and {files} file(s).",
        "zh": "{name} 的结构报告：共有 {folders} 个文件夹、{files} 个文件。",
    },
    "offline.report.folders": {"en": "Folders: {names}", "zh": "文件夹：{names}"},
    "offline.report.files": {"en": "Files: {names}", "zh": "文件：{names}"},
    "offline.report.kinds": {"en": "Kinds of files: {kinds}", "zh": "文件类型：{kinds}"},
    "offline.report.top": {
        "en": "I have not looked into the folders.",
        "zh": "文件夹内部没有查看。",
    },
    "offline.report.text": {
        "en": "Report on {name} ({lines} line(s)):\n{text}",
        "zh": "关于{name}的报告（{lines} 行）：\n{text}",
    },
    "offline.summary.nothing": {"en": "Nothing has been said yet.", "zh": "还没有任何对话内容。"},
    # --- a run as a page -----------------------------------------------------------------------------------------
    "report.empty": {"en": "Nothing has happened yet.", "zh": "还没有发生任何事。"},
    "report.question": {"en": "question", "zh": "提问"},
    "report.user": {"en": "Question", "zh": "提问"},
    "report.system": {"en": "system prompt", "zh": "系统提示"},
    "report.summary": {"en": "summary of what was said before", "zh": "此前对话的摘要"},
    "report.answer": {"en": "answer", "zh": "回答"},
    "report.reply": {"en": "Reply", "zh": "回复"},
    "report.calls": {"en": "{n} calls, in parallel", "zh": "{n} 个并行调用"},
    "report.call": {"en": "1 call", "zh": "1 个调用"},
    "report.textonly": {"en": "text, no calls", "zh": "纯文本，无调用"},
    "report.thinking": {"en": "thinking", "zh": "思考"},
    "report.step": {"en": "step {n}", "zh": "第 {n} 步"},
    "report.between": {"en": "{n} steps in between", "zh": "中间还有 {n} 步"},
    "report.more": {"en": "{n} more characters", "zh": "还有 {n} 个字符"},
    "report.success": {"en": "success", "zh": "成功"},
    "report.partial": {"en": "partial", "zh": "部分成功"},
    "report.error": {"en": "error", "zh": "错误"},
    "report.finished": {"en": "Finished", "zh": "已结束"},
    "report.stopped": {"en": "Stopped: {reason}", "zh": "已停止：{reason}"},
    "report.next.ask": {"en": "Next: ask the model", "zh": "下一步：询问模型"},
    "report.next.call": {"en": "Next: run {names}", "zh": "下一步：执行 {names}"},
    "report.next.wait": {"en": "Waiting for a decision: {names}", "zh": "等待决定：{names}"},
    "report.next.stop": {"en": "Next: finish", "zh": "下一步：结束"},
    "report.next.other": {"en": "Next: go on", "zh": "下一步：继续"},
    "report.state": {"en": "state", "zh": "状态"},
    "report.state.step": {"en": "step", "zh": "步数"},
    "report.state.waiting": {"en": "calls waiting", "zh": "待执行调用"},
    "report.state.finished": {"en": "finished", "zh": "已结束"},
    "report.state.branch": {"en": "branch", "zh": "分支"},
    "report.of": {"en": "{n} of {m}", "zh": "{n} / {m}"},
    "report.no": {"en": "no", "zh": "否"},
    "report.context": {"en": "context window", "zh": "上下文窗口"},
    "report.meter.system": {"en": "system", "zh": "系统"},
    "report.meter.tools": {"en": "tool schemas", "zh": "工具模式"},
    "report.meter.user": {"en": "user", "zh": "用户"},
    "report.meter.assistant": {"en": "assistant", "zh": "助手"},
    "report.meter.results": {"en": "results", "zh": "结果"},
    "report.meter.summary": {"en": "summary", "zh": "摘要"},
    "report.used": {"en": "{n} tokens used", "zh": "已用 {n} 个 token"},
    "report.used.of": {"en": "{n} of {m} tokens used", "zh": "已用 {n} / {m} 个 token"},
    "report.spent": {"en": "{n} tokens spent", "zh": "共消耗 {n} 个 token"},
    # --- runs of other frameworks ---------------------------------------------------------------------------------
    "guest.no_result": {"en": "The trace has no result of {tool}.", "zh": "记录中没有 {tool} 的结果。"},
    "guest.not_recorded": {"en": "The result of {tool} was not recorded.", "zh": "{tool} 的结果没有被记录。"},
    "guest.failed": {"en": "{tool} failed: {error}", "zh": "{tool} 失败：{error}"},
    # --- a trace as a page ---------------------------------------------------------------------------------------
    "trace.time": {"en": "Time", "zh": "用时"},
    "trace.requests": {"en": "Model requests", "zh": "模型请求"},
    "trace.calls": {"en": "Tool calls", "zh": "工具调用"},
    "trace.tokens": {"en": "Tokens", "zh": "Token 总数"},
    "trace.prompt": {"en": "Prompt tokens", "zh": "输入 Token"},
    "trace.completion": {"en": "Completion tokens", "zh": "输出 Token"},
    "trace.cached": {"en": "{n} cached", "zh": "{n} 来自缓存"},
    "trace.errors": {"en": "Errors", "zh": "错误"},
    "trace.finished": {"en": "Finished", "zh": "已完成"},
    "trace.stopped": {"en": "Stopped: {why}", "zh": "已停止：{why}"},
    "trace.failed": {"en": "Failed", "zh": "失败"},
    "trace.open": {"en": "Open", "zh": "未结束"},
    "trace.message": {"en": "Messages", "zh": "消息"},
    "trace.model": {"en": "Model", "zh": "模型"},
    "trace.tool": {"en": "Tools", "zh": "工具"},
    "trace.agent": {"en": "Agents", "zh": "智能体"},
    "trace.note": {"en": "Notes", "zh": "记录"},
    "trace.error": {"en": "Error", "zh": "错误"},
    "trace.filter": {"en": "Filter", "zh": "筛选"},
    "trace.search": {"en": "Search", "zh": "搜索"},
    "trace.first_error": {"en": "First error", "zh": "第一个错误"},
    "trace.unfold": {"en": "Unfold all", "zh": "全部展开"},
    "trace.fold": {"en": "Fold all", "zh": "全部折叠"},
    "trace.theme": {"en": "Light / dark", "zh": "浅色 / 深色"},
    "trace.none": {"en": "Nothing matches.", "zh": "没有匹配的事件。"},
    "trace.empty": {"en": "Nothing has been recorded.", "zh": "没有任何记录。"},
    "trace.step": {"en": "Step {n}", "zh": "第 {n} 步"},
    "trace.reply": {"en": "Reply", "zh": "回复"},
    "trace.allowed": {"en": "allowed", "zh": "已批准"},
    "trace.refused": {"en": "refused", "zh": "已拒绝"},
    "trace.begins": {"en": "Begins", "zh": "启动"},
    "trace.answer": {"en": "Answer", "zh": "答案"},
    "trace.end": {"en": "End", "zh": "结束"},
    "trace.compressed": {"en": "History compressed", "zh": "历史已压缩"},
    "trace.question": {"en": "Question", "zh": "提问"},
    "trace.no_errors": {"en": "Nothing went wrong.", "zh": "没有出错。"},
    "trace.tokens.line": {
        "en": "{total_tokens} ({prompt_tokens} prompt, {completion_tokens} completion, {cached_tokens} cached)",
        "zh": "{total_tokens}（输入 {prompt_tokens}，输出 {completion_tokens}，缓存 {cached_tokens}）",
    },
    "trace.html": {"en": "The page is in {path}.", "zh": "页面已写入 {path}。"},
    "trace.more": {"en": "… {n} more characters are in the JSON lines.", "zh": "……其余 {n} 个字符见 JSON 行文件。"},
    # --- contexts ------------------------------------------------------------------------------------------------
    "context.role": {"en": "Role & Policies", "zh": "角色与规则"},
    "context.task": {"en": "Task", "zh": "任务"},
    "context.state": {"en": "State", "zh": "状态"},
    "context.evidence": {"en": "Evidence", "zh": "证据"},
    "context.context": {"en": "Context", "zh": "上下文"},
    "context.output": {"en": "Output", "zh": "输出"},
    "context.output_usual": {
        "en": "Answer the task first, briefly. Name the evidence you used by its number, like [1]. Say what is missing "
        "or uncertain.",
        "zh": "先简要回答任务。用编号（如 [1]）注明所依据的证据。说明缺少或不确定的内容。",
    },
    "context.said.user": {"en": "user: {text}", "zh": "用户：{text}"},
    "context.said.assistant": {"en": "assistant: {text}", "zh": "助手：{text}"},
    "context.said.summary": {"en": "earlier, in short: {text}", "zh": "此前摘要：{text}"},
    "context.cite.tool": {"en": "result of {name}", "zh": "{name} 的结果"},
    "context.compress.system": {
        "en": "You shorten texts. You add nothing, and keep names, numbers and marks like [1] as they are.",
        "zh": "你负责缩短文本。不添加任何内容，并原样保留名称、数字以及 [1] 这样的编号。",
    },
    "context.compress": {
        "en": "Shorten the text to at most {tokens} tokens. Keep what helps to answer: {query}\n\n{text}",
        "zh": "将下面的文本缩短到最多 {tokens} 个 token，保留有助于回答此问题的内容：{query}\n\n{text}",
    },
    "context.fate.required": {"en": "required", "zh": "必需"},
    "context.fate.passed": {"en": "selected", "zh": "已选入"},
    "context.fate.selected": {
        "en": "{score:.2f} = relevance {relevance:.2f} + recency {recency:.2f} + importance {importance:.2f}",
        "zh": "{score:.2f} = 相关性 {relevance:.2f} + 时效性 {recency:.2f} + 重要性 {importance:.2f}",
    },
    "context.fate.below_threshold": {
        "en": "left out: relevance {raw:.2f} is under {least:.2f}",
        "zh": "未选入：相关性 {raw:.2f} 低于 {least:.2f}",
    },
    "context.fate.redundant": {
        "en": "left out: {alike:.2f} alike to {other}, which is chosen",
        "zh": "未选入：与已选入的 {other} 相似度为 {alike:.2f}",
    },
    "context.fate.merged": {
        "en": "merged into {other}, which says the same ({alike:.2f} alike)",
        "zh": "已并入 {other}：内容相同（相似度 {alike:.2f}）",
    },
    "context.fate.over_budget": {
        "en": "left out: its {tokens} tokens did not fit any more",
        "zh": "未选入：剩余预算放不下它的 {tokens} 个 token",
    },
    "context.fate.outranked": {
        "en": "left out: better ones fill the budget many times over",
        "zh": "未选入：得分更高的内容已远超预算",
    },
    "context.fate.trimmed": {
        "en": "cut from {tokens} to {kept} tokens; score {score:.2f}",
        "zh": "由 {tokens} 个 token 缩减到 {kept} 个；得分 {score:.2f}",
    },
    "context.fate.rewritten": {
        "en": "shortened by the model together with its section; score {score:.2f}",
        "zh": "由模型连同所在部分一起缩写；得分 {score:.2f}",
    },
    "call.stopped": {"en": "not run: the question was stopped", "zh": "未执行：问题已被停止"},
    # --- the service -----------------------------------------------------------------------------------------------
    "serve.host": {
        "en": "Without a token the service answers this machine only. Call it as localhost, or start it with a token.",
        "zh": "未设置令牌时，服务只响应本机请求。请使用 localhost 访问，或设置令牌后启动。",
    },
    "serve.token": {
        "en": "The bearer token is missing or wrong. Send `Authorization: Bearer …` with the token the service was started with.",
        "zh": "缺少令牌或令牌错误。请在 `Authorization: Bearer …` 中发送服务启动时设置的令牌。",
    },
    "serve.origin": {
        "en": "The request comes from a page of another site. Open the service's own page, or call it from a program.",
        "zh": "请求来自其他网站的页面。请使用服务自带的页面，或在程序中调用。",
    },
    "serve.rate": {
        "en": "Too many requests from this address. Wait as long as Retry-After says.",
        "zh": "来自该地址的请求过多。请按 Retry-After 等待后重试。",
    },
    "serve.size": {
        "en": "The request is longer than {most} bytes. Send less.",
        "zh": "请求超过 {most} 字节。请缩短内容。",
    },
    "serve.slow": {
        "en": "The body of the request took too long to arrive. Send it again.",
        "zh": "请求正文传输时间过长。请重新发送。",
    },
    "serve.not_json": {
        "en": "The body of the request is not said to be JSON. Send `Content-Type: application/json`.",
        "zh": "请求正文未声明为 JSON。请发送 `Content-Type: application/json`。",
    },
    "serve.json": {
        "en": "The body of the request is not JSON. Send one JSON object in UTF-8.",
        "zh": "请求正文不是 JSON。请以 UTF-8 发送一个 JSON 对象。",
    },
    "serve.body": {
        "en": "The body of the request does not fit at {where}: {why}. The description is at /openapi.json.",
        "zh": "请求正文在 {where} 处不符合要求：{why}。说明见 /openapi.json。",
    },
    "serve.session_id": {
        "en": "That is no id of a session. Use letters, digits, `_` and `-`, at most 64, the first a letter or digit.",
        "zh": "会话编号无效。请使用字母、数字、`_` 和 `-`，最多 64 个字符，且以字母或数字开头。",
    },
    "serve.number": {
        "en": "{name} is not a whole number of {least} or more. Correct it.",
        "zh": "{name} 不是大于或等于 {least} 的整数。请更正。",
    },
    "serve.event_id": {
        "en": "The Last-Event-ID is none of this service's. Send the last id of the stream, such as `7` or `7.0`.",
        "zh": "Last-Event-ID 无效。请发送事件流中最后的编号，例如 `7` 或 `7.0`。",
    },
    "serve.no_session": {
        "en": "There is no session {session!r}. A message to it makes one.",
        "zh": "没有会话 {session!r}。向它发送消息即可创建。",
    },
    "serve.session_exists": {
        "en": "There is a session of this name already. Choose another name.",
        "zh": "同名会话已存在。请换一个名称。",
    },
    "serve.no_path": {
        "en": "There is nothing at this address. The addresses are described at /openapi.json.",
        "zh": "此地址没有内容。可用地址见 /openapi.json。",
    },
    "serve.no_metrics": {
        "en": "No metrics are counted here. Install the extra `metrics`.",
        "zh": "此处没有指标。请安装附加包 `metrics`。",
    },
    "serve.method": {
        "en": "This address does not take this method. The header Allow says which it takes.",
        "zh": "此地址不支持该方法。可用方法见 Allow 头。",
    },
    "serve.busy": {
        "en": "A run is under way in the session {session!r}. Follow it, stop it, or wait for its end.",
        "zh": "会话 {session!r} 中有正在进行的运行。请继续查看、停止它，或等待其结束。",
    },
    "serve.after": {
        "en": "The session {session!r} ends with entry {last}, not {after}. Read what came since, and send again.",
        "zh": "会话 {session!r} 的最后一条是 {last}，不是 {after}。请读取新增内容后再发送。",
    },
    "serve.changed": {
        "en": "The session {session!r} was changed by somebody else meanwhile. Send the request again.",
        "zh": "会话 {session!r} 同时被其他程序修改。请重新发送请求。",
    },
    "serve.damaged": {
        "en": "What is stored as the session {session!r} cannot be read. Delete it, or restore a copy.",
        "zh": "会话 {session!r} 的存储内容无法读取。请删除它或恢复备份。",
    },
    "serve.refused": {"en": "The request cannot be served: {why}", "zh": "无法处理该请求：{why}"},
    "serve.not_waiting": {
        "en": "This call does not wait for approval in the session {session!r}. Look at `waiting` of the session.",
        "zh": "会话 {session!r} 中该调用并未等待批准。请查看会话的 `waiting`。",
    },
    "serve.ended": {
        "en": "The last question of the session {session!r} has ended. Send a new message.",
        "zh": "会话 {session!r} 的上一个问题已经结束。请发送新消息。",
    },
    "serve.not_stopped": {
        "en": "The run of the session {session!r} has not stopped in time. Ask again.",
        "zh": "会话 {session!r} 的运行未能及时停止。请重试。",
    },
    "serve.runs": {
        "en": "This worker has {most} runs under way and takes no more. Try again a little later.",
        "zh": "此工作进程已有 {most} 个运行，暂不接受新的请求。请稍后重试。",
    },
    "serve.streams": {
        "en": "This worker has {most} streams open and opens no more. Try again a little later.",
        "zh": "此工作进程已打开 {most} 个事件流，暂不接受新的连接。请稍后重试。",
    },
    "serve.closing": {
        "en": "This worker is closing. Send the request again, and another one takes it.",
        "zh": "此工作进程正在关闭。请重新发送，由其他进程处理。",
    },
    "serve.store": {
        "en": "The store of the sessions cannot be reached. Try again a little later.",
        "zh": "无法访问会话存储。请稍后重试。",
    },
    "serve.fault": {
        "en": "The service has a fault, which is in its log. Try again, and tell whoever runs it.",
        "zh": "服务内部出错，详情见日志。请重试，并告知维护者。",
    },
    "serve.api": {
        "en": "One agent for many clients: sessions, runs as server-sent events, approval of calls.",
        "zh": "供多个客户端使用的智能体：会话、以服务器发送事件呈现的运行、调用审批。",
    },
    "serve.api.page": {"en": "The page on which the agent is tried", "zh": "试用智能体的页面"},
    "serve.api.health": {"en": "Whether the process lives", "zh": "进程是否存活"},
    "serve.api.ready": {"en": "Whether it can serve: the store is reached", "zh": "是否可以服务：会话存储可访问"},
    "serve.api.openapi": {"en": "This description", "zh": "本说明"},
    "serve.api.metrics": {"en": "Counts in Prometheus' text form", "zh": "Prometheus 文本格式的指标"},
    "serve.api.sessions": {"en": "All sessions, the one written to last first", "zh": "全部会话，最近写入的在前"},
    "serve.api.session": {"en": "A session as it stands", "zh": "会话的当前状态"},
    "serve.api.delete": {"en": "Delete a session", "zh": "删除会话"},
    "serve.api.entries": {"en": "The journal of a session", "zh": "会话的日志"},
    "serve.api.events": {
        "en": "What happened in a session, then what happens until no run is under way; with `linger=1`, further runs as well",
        "zh": "会话中已发生的事件，以及直到没有运行为止的新事件；`linger=1` 时继续等待后续运行",
    },
    "serve.api.message": {"en": "Say something to the agent, and follow the run", "zh": "向智能体发送消息并查看运行"},
    "serve.api.verdict": {
        "en": "Allow or refuse a call that waits, and follow the run",
        "zh": "批准或拒绝等待中的调用并查看运行",
    },
    "serve.api.resume": {"en": "Go on with a run that was broken off", "zh": "继续中断的运行"},
    "serve.api.stop": {"en": "Stop the run, and close the question", "zh": "停止运行并结束当前问题"},
    "serve.api.fork": {"en": "Make a session of another's beginning", "zh": "从已有会话的开头创建新会话"},
    "serve.page.session": {"en": "Session", "zh": "会话"},
    "serve.page.token": {"en": "Token, if the service asks for one", "zh": "令牌（如服务需要）"},
    "serve.page.fresh": {"en": "New session", "zh": "新会话"},
    "serve.page.message": {"en": "Message to the agent", "zh": "发送给智能体的消息"},
    "serve.page.placeholder": {
        "en": "Ask something. Enter sends, Shift+Enter breaks the line, Esc stops.",
        "zh": "请输入问题。Enter 发送，Shift+Enter 换行，Esc 停止。",
    },
    "serve.page.send": {"en": "Send", "zh": "发送"},
    "serve.page.stop": {"en": "Stop", "zh": "停止"},
    "serve.page.approve": {"en": "Approve", "zh": "批准"},
    "serve.page.refuse": {"en": "Refuse", "zh": "拒绝"},
    "serve.page.asks": {"en": "The agent asks for approval", "zh": "智能体请求批准"},
    "serve.page.ended": {"en": "Ended", "zh": "已结束"},
    "serve.page.failed": {"en": "The run failed", "zh": "运行失败"},
    "serve.page.interrupted": {"en": "The run was interrupted.", "zh": "运行已中断。"},
    "serve.page.resume": {"en": "Go on", "zh": "继续"},
    "serve.page.gone": {
        "en": "The service does not answer. Reload the page when it is back.",
        "zh": "服务没有响应。恢复后请重新加载页面。",
    },
    # --- notes ---------------------------------------------------------------------------------------------------
    "note.description": {
        "en": "Keeps notes as Markdown files: creates, reads, changes, deletes, lists and searches them.",
        "zh": "以 Markdown 文件保存笔记：可创建、读取、修改、删除、列出和搜索笔记。",
    },
    "note.action": {"en": "What to do.", "zh": "要执行的操作。"},
    "note.id": {"en": "Which note, for read, update and delete.", "zh": "笔记的 id，用于 read、update 和 delete。"},
    "note.title": {"en": "Its title. Create needs one.", "zh": "笔记标题，create 时必填。"},
    "note.content": {"en": "What it says, in Markdown.", "zh": "笔记正文，Markdown 格式。"},
    "note.type": {
        "en": "Its kind, such as general, task_state, conclusion, blocker, action or reference.",
        "zh": "笔记类型，例如 general、task_state、conclusion、blocker、action、reference。",
    },
    "note.tags": {"en": "Words to find it by.", "zh": "便于查找的标签。"},
    "note.query": {"en": "Words that are all to be in the note, for search.", "zh": "search 时笔记须全部包含的词。"},
    "note.limit": {"en": "The most notes to list.", "zh": "最多列出的笔记数。"},
    "note.created": {"en": "Noted {title!r} as {id}.", "zh": "已记下 {title!r}，id 为 {id}。"},
    "note.updated": {"en": "Changed {title!r} ({id}).", "zh": "已修改 {title!r}（{id}）。"},
    "note.deleted": {"en": "Deleted {title!r} ({id}).", "zh": "已删除 {title!r}（{id}）。"},
    "note.none": {"en": "There are no such notes.", "zh": "没有符合条件的笔记。"},
    "note.summary": {"en": "{total} notes. {listed}", "zh": "共 {total} 条笔记。{listed}"},
    "note.missing": {
        "en": "There is no note {id!r}. List the notes to see their ids.",
        "zh": "没有 id 为 {id!r} 的笔记。请先用 list 查看笔记的 id。",
    },
    "note.full": {
        "en": "There are {most} notes, and that is the most there may be. Delete some first.",
        "zh": "笔记已达上限 {most} 条。请先删除一些。",
    },
    "note.no_title": {"en": "The title is empty. Pass one.", "zh": "标题为空，请给出标题。"},
    "note.no_query": {"en": "The query is empty. Pass the words to look for.", "zh": "查询为空，请给出要查找的词。"},
    "note.no_id": {
        "en": "{id!r} is not the id of a note. {action} needs one: letters, digits, - and _.",
        "zh": "{id!r} 不是笔记的 id。{action} 需要 id，由字母、数字、- 和 _ 组成。",
    },
    "note.no_action": {
        "en": "{action!r} is not an action. Use one of {actions}.",
        "zh": "没有操作 {action!r}。可用：{actions}。",
    },
    # --- evaluation ------------------------------------------------------------------------------------------------
    "evaluation.title": {"en": "{agents} agents, {tasks} tasks", "zh": "{agents} 个智能体，{tasks} 个任务"},
    "evaluation.agent": {"en": "agent", "zh": "智能体"},
    "evaluation.passed": {"en": "passed", "zh": "通过"},
    "evaluation.interval": {"en": "95 % interval", "zh": "95 % 区间"},
    "evaluation.steps": {"en": "steps", "zh": "步数"},
    "evaluation.tokens": {"en": "tokens", "zh": "token 数"},
    "evaluation.cost": {"en": "cost in all", "zh": "总费用"},
    "evaluation.seconds": {"en": "seconds", "zh": "秒"},
    "evaluation.failures": {"en": "failures", "zh": "失败原因"},
    "evaluation.none": {"en": "none", "zh": "无"},
    "evaluation.by_task": {"en": "task by task", "zh": "按任务查看"},
    "evaluation.task": {"en": "task", "zh": "任务"},
    "evaluation.compared": {
        "en": "{first} minus {second}: {difference} percentage points on {tasks} tasks ({low} to {high}); "
        "{first} ahead on {first_only}, {second} on {second_only}; p {p} by {method}.",
        "zh": "{first} 减 {second}：在 {tasks} 个任务上相差 {difference} 个百分点（{low} 至 {high}）；"
        "{first} 领先 {first_only} 个任务，{second} 领先 {second_only} 个；p {p}（{method}）。",
    },
    "evaluation.method.mcnemar": {"en": "McNemar's exact test", "zh": "McNemar 精确检验"},
    "evaluation.method.bootstrap": {"en": "the paired bootstrap over tasks", "zh": "按任务的配对自助法"},
    "evaluation.real": {
        "en": "Chance alone would rarely do this.",
        "zh": "仅凭偶然很少会出现这样的差异。",
    },
    "evaluation.chance": {
        "en": "Chance alone could well do this; more tasks would tell.",
        "zh": "这样的差异可能只是偶然；需要更多任务才能判断。",
    },
    "call.interrupted": {
        "en": "interrupted: this call was started and its result is lost; it may or may not have had its effect",
        "zh": "已中断：此调用已开始执行，但结果已丢失，其操作可能已经生效，也可能没有",
    },
}
"""Key to language to text. The values of a text stand in braces, as for `str.format`."""


def text(key: str, language: str = "en", /, **values: object) -> str:
    """The text under a key, with its values filled in.

    Languages are `en` and `zh`; a regional form such as `zh-CN` is read as its language. Raises `KeyError` for a
    key that is not there and `ValueError` for another language.
    """
    versions = TEXTS[key]
    version = versions.get(language) or versions.get(language.replace("_", "-").partition("-")[0].lower())
    if version is None:
        raise ValueError(f"There are no texts in {language!r}. Use one of {', '.join(sorted(versions))}.")
    return version.format(**values) if values else version
