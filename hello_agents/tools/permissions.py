"""Permissions: which calls run, which a person must agree to, and which are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, cast, get_args

from ..catalogue import text
from ..core.message import ToolCall
from ..core.permitting import ALLOW, Ruling, Verdict
from .base import Tool
from .executor import say
from .values import to_json, to_plain

_STRICTNESS: dict[Verdict, int] = {"allow": 0, "ask": 1, "refuse": 2}
_FIELDS = ("tools", "verdict", "arguments", "reason")
_NO_PATTERNS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def _no_patterns() -> Mapping[str, tuple[str, ...]]:
    return _NO_PATTERNS


@dataclass(frozen=True)
class Rule:
    """A verdict on the calls of some tools, or on some of their calls.

    A pattern is a glob: `*` is any text, `?` one character, `[ab]` one of these. Raises `ValueError` for a verdict that
    is none of `allow`, `ask` and `refuse`.
    """

    tools: str | tuple[str, ...]
    """Patterns of tool names, any of which may fit. Case counts."""
    verdict: Verdict
    arguments: Mapping[str, str | tuple[str, ...]] = field(default_factory=_no_patterns)
    """For each of these parameters: patterns, one of which must fit. A call without the argument does not fit.

    A value that is written as text, such as a date, is compared as that text, and any other as JSON. Of a list or a
    set, every item must fit for `allow`, and one for the others.
    Paths are compared as they are written, so that `docs/*` fits `docs/../x`.
    """
    when: Callable[[Mapping[str, Any]], bool] | None = None
    """A predicate over the arguments as the tool receives them. One that raises refuses the call."""
    reason: str = ""
    """What the model is told when the call is refused. Empty: that it is not allowed here."""

    def __post_init__(self) -> None:
        if self.verdict not in _STRICTNESS:
            raise ValueError(f"{self.verdict!r} is not a verdict. Use one of {', '.join(get_args(Verdict))}.")

    def names(self, name: str) -> bool:
        """Whether the rule speaks of this tool."""
        return any(fnmatchcase(name, pattern) for pattern in _several(self.tools))

    def fits(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the rule speaks of a call with these arguments."""
        for name, patterns in self.arguments.items():
            if name not in arguments or not self._fits(arguments[name], _several(patterns)):
                return False
        return self.when is None or bool(self.when(arguments))

    def _fits(self, value: Any, patterns: tuple[str, ...]) -> bool:
        plain: object = to_plain(value)  # A path, a date or a member of an Enum arrives as such, and was sent as text.
        if isinstance(plain, list) and plain:
            items = [self._fits(item, patterns) for item in cast("Iterable[Any]", plain)]
            return all(items) if self.verdict == "allow" else any(items)
        written = plain if isinstance(plain, str) else to_json(cast("object", plain))
        return any(fnmatchcase(written, pattern) for pattern in patterns)


@dataclass(frozen=True)
class Policy:
    """Rules in order: the first that fits a call decides, and where none does, the default.

    `Policy([Rule("Read*", "allow"), Rule("Write", "ask", {"path": "*.md"})], default="refuse")`. A tool that needs
    approval is asked for in any case. The default does not hold for tools that are a part of the agent's pattern, such
    as Finish; a rule that names them does. Sub-agents are bound by the policy of the agent above them and by their own.

    A policy belongs to the agent and not to the run: a stored session goes on under that of the agent that loads it.
    """

    rules: tuple[Rule, ...] = ()
    default: Verdict = "allow"
    outer: Policy | None = None
    """The policy of the agent above: of the two, the stricter verdict holds."""

    def __init__(self, rules: Iterable[Rule] = (), default: Verdict = "allow", outer: Policy | None = None) -> None:
        if default not in _STRICTNESS:
            raise ValueError(f"{default!r} is not a verdict. Use one of {', '.join(get_args(Verdict))}.")
        object.__setattr__(self, "rules", tuple(rules))
        object.__setattr__(self, "default", default)
        object.__setattr__(self, "outer", outer)

    def ruling(self, call: ToolCall, tool: Tool | None, language: str = "en") -> Ruling:
        """The verdict on a call of this tool. What cannot run anyway, because it is unknown or unreadable, may pass."""
        if tool is None or call.fault is not None:
            return ALLOW
        own = self._own(call, tool, language)
        if self.outer is None:
            return own
        above = self.outer.ruling(call, tool, language)
        return above if _STRICTNESS[above.verdict] > _STRICTNESS[own.verdict] else own

    def under(self, above: Policy) -> Policy:
        """This policy for a sub-agent of an agent with the other one."""
        if self in (above, above.outer):
            return above
        return replace(self, outer=above if self.outer is None else self.outer.under(above))

    def _own(self, call: ToolCall, tool: Tool, language: str) -> Ruling:
        arguments: Mapping[str, Any] | None = None
        for rule in self.rules:
            if not rule.names(call.name):
                continue
            if rule.arguments or rule.when is not None:
                arguments = _received(call, tool) if arguments is None else arguments
                try:
                    if not rule.fits(arguments):
                        continue
                except Exception as error:
                    # A predicate of the caller's. What it would have said is unknown, so the call does not run.
                    return Ruling("refuse", text("permission.failed", language, name=call.name, error=say(error)))
            return Ruling(rule.verdict, rule.reason)
        return ALLOW if tool.inert else Ruling(self.default)

    def to_data(self) -> dict[str, Any]:
        """The policy as plain JSON values. Raises `ValueError` for a rule with a predicate, which has no such form."""
        return {"rules": [_rule_data(rule) for rule in self.rules], "default": self.default}

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Policy:
        """Reads what `to_data` wrote. Raises `ValueError` that names the rule and what is wrong with it."""
        for name in data:
            if name not in ("rules", "default"):
                raise ValueError(f"A policy has no {name!r}. It has `rules` and `default`.")
        rules = data.get("rules", ())
        if not isinstance(rules, (list, tuple)):
            raise ValueError(f"The rules of a policy are a list, not {rules!r}. Put each rule into it as an object.")
        read = [_rule_of(number, rule) for number, rule in enumerate(cast("Iterable[Any]", rules), 1)]
        return Policy(read, data.get("default", "allow"))


def _several(patterns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def _received(call: ToolCall, tool: Tool) -> Mapping[str, Any]:
    """The arguments as the tool receives them; those that do not fit it as they are."""
    try:
        return tool.parameters.read(call.arguments)
    except Exception:
        # Reading is the tool's code, too. It will be read again before it runs, and then the model is told.
        return call.arguments


def _rule_data(rule: Rule) -> dict[str, Any]:
    if rule.when is not None:
        raise ValueError(f"The rule for {rule.tools!r} has a predicate, which cannot be written down. Use `arguments`.")
    data: dict[str, Any] = {"tools": _listed(rule.tools), "verdict": rule.verdict}
    if rule.arguments:
        data["arguments"] = {name: _listed(patterns) for name, patterns in rule.arguments.items()}
    return data | ({"reason": rule.reason} if rule.reason else {})


def _listed(patterns: str | tuple[str, ...]) -> str | list[str]:
    return patterns if isinstance(patterns, str) else list(patterns)


def _rule_of(number: int, data: Any) -> Rule:
    where = f"Rule {number} of the policy"
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} is {data!r}. Give an object with {', '.join(_FIELDS)}.")
    rule = cast("Mapping[str, Any]", data)
    for name in rule:
        if name not in _FIELDS:
            raise ValueError(f"{where} has {name!r}, which is not known. Use {', '.join(_FIELDS)}.")
    if "tools" not in rule or "verdict" not in rule:
        raise ValueError(f"{where} is incomplete. Give `tools` and `verdict`.")
    arguments = rule.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise ValueError(f"{where} has the arguments {arguments!r}. Give an object of patterns by parameter.")
    patterns = {name: _patterns(where, value) for name, value in cast("Mapping[str, Any]", arguments).items()}
    return Rule(_patterns(where, rule["tools"]), rule["verdict"], patterns, reason=str(rule.get("reason", "")))


def _patterns(where: str, value: Any) -> str | tuple[str, ...]:
    items: list[Any] = list(cast("Iterable[Any]", value)) if isinstance(value, (list, tuple)) else [value]
    if not items or not all(isinstance(item, str) for item in items):
        raise ValueError(f"{where} has the pattern {value!r}. Give a text, or a list of texts.")
    return value if isinstance(value, str) else tuple(items)
