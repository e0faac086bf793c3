"""Every text that a model or a reader of the library sees, in English and Chinese."""

from __future__ import annotations

from typing import Any

TEXTS: dict[str, dict[str, str]] = {
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
    "limits.no_answer": {
        "en": "Stopped without an answer ({reason}). The last result was: {last}",
        "zh": "未能得出答案即停止（{reason}）。最后的结果是：{last}",
    },
    "limits.nothing": {"en": "none", "zh": "无"},
    # calls that do not run
    "call.refused": {"en": "refused: {reason}", "zh": "已拒绝：{reason}"},
    "call.refused_why": {"en": "a person did not allow this call", "zh": "此调用未获准许"},
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
    # Simple
    "simple.system": {"en": "You are a helpful assistant.", "zh": "你是一个乐于助人的助手。"},
    # why the next action is what it is
    "why.ask.question": {"en": "the question has not been answered yet", "zh": "问题还没有得到回答"},
    "why.ask.answered": {
        "en": "{count} call(s) are answered and the model has not seen the results",
        "zh": "{count} 个调用已有结果，模型还没有看到",
    },
    "why.ask.last": {
        "en": "{reason} is reached: one last answer, without tools",
        "zh": "已达到 {reason}：最后一次作答，不使用工具",
    },
    "why.call": {"en": "the model asked for {names}", "zh": "模型请求调用 {names}"},
    "why.wait": {"en": "{names} needs a person's approval", "zh": "{names} 需要人工批准"},
    "why.stop.finished": {"en": "the model gave its answer", "zh": "模型给出了答案"},
    "why.stop.other": {"en": "{reason} is reached", "zh": "已达到 {reason}"},
    "why.over": {"en": "the question is closed: {reason}", "zh": "问题已结束：{reason}"},
    "why.returned": {"en": "the call {id} is answered without being run", "zh": "调用 {id} 不执行，直接给出结果"},
    "why.spawned": {"en": "a child run begins for {id}", "zh": "为 {id} 启动一个子运行"},
    "why.noted": {"en": "the agent writes down {key}", "zh": "智能体记录 {key}"},
    "why.told": {"en": "something is said", "zh": "写入一条消息"},
    "why.compacted": {"en": "the history is shortened", "zh": "历史被压缩"},
    "why.no_agent": {"en": "this is a finished run without its agent", "zh": "这是一个没有智能体的已完成运行"},
    "why.replay": {"en": "this step is recorded already", "zh": "这一步已有记录"},
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
    "offline.met": {"en": "Hello {name}. I can tell you your name as long as it is in this conversation.", "zh": "你好，{name}。只要它还在这段对话里，我就能说出你的名字。"},
    "offline.name": {"en": "Your name is {name}.", "zh": "你叫{name}。"},
    "offline.no_name": {
        "en": "You have not told me your name in this conversation.",
        "zh": "在这段对话里，你还没有告诉我你的名字。",
    },
    "offline.asked_first": {"en": "Your first question was: “{question}”", "zh": "你的第一个问题是：“{question}”"},
    "offline.asked_last": {"en": "Your last question was: “{question}”", "zh": "你的上一个问题是：“{question}”"},
    "offline.answered": {"en": "My last answer was: “{answer}”", "zh": "我的上一个回答是：“{answer}”"},
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
    "offline.partial": {"en": "{text} (this is only a part of it)", "zh": "{text}（这只是一部分）"},
    "offline.empty": {"en": "{name} returned nothing.", "zh": "{name} 没有返回内容。"},
    "offline.satisfied": {"en": "No need for improvement.", "zh": "无需改进。"},
    "offline.too_thin": {
        "en": "The answer is empty. Answer the task itself.",
        "zh": "回答是空的。请直接回答任务。",
    },
}


def text(key: str, language: str = "en", /, **values: Any) -> str:
    """The text under a key, filled in. Raises `KeyError` for an unknown key; an unknown language reads as English."""
    entry = TEXTS[key]
    return entry.get(language, entry["en"]).format(**values) if values else entry.get(language, entry["en"])
