"""Skills: knowledge that is kept in folders and read when it is needed."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .loader import BrokenSkill, Skill, SkillLoader

__all__ = ["BrokenSkill", "Skill", "SkillLoader"]

_HOMES = {"BrokenSkill": "loader", "Skill": "loader", "SkillLoader": "loader"}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
