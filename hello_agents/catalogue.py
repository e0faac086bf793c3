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
}


def text(key: str, language: str = "en", /, **values: Any) -> str:
    """The text under a key, filled in. Raises `KeyError` for an unknown key; an unknown language reads as English."""
    entry = TEXTS[key]
    return entry.get(language, entry["en"]).format(**values) if values else entry.get(language, entry["en"])
