"""The skill tool: a model sees what skills there are, and reads the one it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...catalogue import text
from ...old_names import old_names
from ..base import Tool, ToolErrorCode, ToolParameter, ToolResponse

if TYPE_CHECKING:
    from ...skills.loader import Skill, SkillLoader

ARGUMENTS = "$ARGUMENTS"
"""Where a skill wants the arguments it is called with."""


class SkillTool(Tool):
    """A tool that hands out skills: their descriptions are in its own, their bodies come on demand."""

    def __init__(self, skill_loader: SkillLoader, *, language: str = "en") -> None:
        super().__init__("Skill", text("skill.description", language))
        self.skill_loader = skill_loader
        self._language = language

    @property
    def changes(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]  It is only read.
        return self.skill_loader.reloads

    def get_parameters(self) -> list[ToolParameter]:
        language = self._language
        return [
            ToolParameter("skill", "string", text("skill.skill", language)),
            ToolParameter("args", "string", text("skill.args", language), False, ""),
        ]

    def to_openai_schema(self) -> dict[str, Any]:
        """The tool with the skills there are; the folder is looked at here, not when the tool is made."""
        schema = super().to_openai_schema()
        listed = self.skill_loader.get_descriptions() or text("skill.empty", self._language)
        schema["function"]["description"] = text("skill.list", self._language, text=self.description, listed=listed)
        return schema

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        name, arguments = str(parameters.get("skill") or "").strip(), str(parameters.get("args") or "")
        skill = self.skill_loader.get_skill(name)
        if skill is None:
            return ToolResponse.error(ToolErrorCode.NOT_FOUND, self._missing(name))
        body = skill.body.replace(ARGUMENTS, arguments)
        if arguments and ARGUMENTS not in skill.body:
            body = text("skill.with", self._language, body=body, arguments=arguments)
        files = self._files(skill)
        listed = "\n".join(f"- {file}" for file in files)
        shown = text("skill.files", self._language, body=body, listed=listed) if files else body
        return ToolResponse.success(shown, {"name": skill.name, "description": skill.description, "files": files})

    def _files(self, skill: Skill) -> list[str]:
        """The files of a skill, by the path of the folder of skills as it was given."""
        home = self.skill_loader.skills_dir
        found = (*skill.scripts, *skill.examples, *skill.references)
        return [(home / file.relative_to(home)).as_posix() for file in found]

    def _missing(self, name: str) -> str:
        from difflib import get_close_matches

        for broken in self.skill_loader.broken:
            if broken.path.parent.name == name:
                file = f"{name}/{broken.path.name}"
                return text("skill.broken", self._language, name=name, file=file, line=broken.line, why=broken.why)
        names = self.skill_loader.list_skills()
        if not names:
            return text("skill.unknown.empty", self._language, name=name)
        near = get_close_matches(name, names, 3, 0.5)
        ordered = ", ".join([*near, *(other for other in names if other not in near)])
        return text("skill.unknown", self._language, name=name, names=ordered)


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, "SkillLoader")
