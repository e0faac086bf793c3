"""How important a text is, by its words: for an agent that asks before it remembers."""

from __future__ import annotations

import re

_VITAL = re.compile(
    r"\b(?:never|always|must|must not|important|critical|urgent|allergic|allergy|deadline|password|emergency"
    r"|do not forget|don't forget)\b|必须|绝不|千万|重要|紧急|过敏|截止|密码|不要忘|别忘",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:my name is|i am called|i live|i work|i prefer|i like|i love|i hate|prefers?|likes|lives|works|favou?rite"
    r"|birthday|decided|decision|goal|plan)\b|我叫|我住|我喜欢|我讨厌|喜欢|住在|生日|决定|目标|计划|偏好",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"^\W*(?:hello|hi|hey|thanks|thank you|ok|okay|bye|good morning|你好|谢谢|好的|再见|嗯)\b", re.IGNORECASE
)


def importance(content: str) -> float:
    """0.9 for what must not be forgotten, 0.7 for what stays true of somebody, 0.1 for chatter, else 0.4; a number or
    a date in it adds 0.1."""
    if _VITAL.search(content):
        weight = 0.9
    elif _LASTING.search(content):
        weight = 0.7
    else:
        weight = 0.1 if _CHATTER.search(content) else 0.4
    return round(weight + 0.1 * (weight < 0.9 and any(sign.isdigit() for sign in content)), 1)
