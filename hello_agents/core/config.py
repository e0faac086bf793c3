"""Settings of an agent. Every field does something; an unknown one is refused with the nearest name."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from .exceptions import ConfigException

if TYPE_CHECKING:
    from .llm import HelloAgentsLLM

Price = tuple[float, float] | tuple[float, float, float]

ALIASES = {
    "truncate_strategy": "tool_output_truncate_direction",
    "tool_circuit_breaker_threshold": "circuit_failure_threshold",
    "skill_loader_path": "skills_dir",
}
"""Second names of fields, and the fields they stand for."""


def _language() -> str:
    return os.environ.get("HELLO_AGENTS_LANG", "en")


def _no_prices() -> dict[str, Price]:
    return {}


@dataclass(init=False, slots=True)
class Config:
    """How an agent behaves beyond its prompt and its tools.

    Nothing is registered, written or sent that was not asked for: traces and sessions stay in memory until they are
    given a folder, and the tools Task, TodoWrite, DevLog and Skill are off until they are switched on.
    """

    language: str = field(default_factory=_language)
    """Language of prompts, prefixes and notices: `en` or `zh`. Default: `HELLO_AGENTS_LANG`, else `en`."""

    # -- the model that `Config.llm()` makes
    default_model: str = "gpt-3.5-turbo"
    """Its name."""
    default_provider: str = "openai"
    """Whose protocol it speaks."""
    temperature: float = 0.7
    """How much chance there is in its replies."""
    max_tokens: int | None = None
    """The longest reply it may give, in tokens. `None`: the provider's limit."""

    # -- one question
    max_steps: int | None = None
    """Replies that may use tools, for an agent that was not given a number of its own. `None`: the agent's default."""
    max_total_tokens: int | None = None
    """Tokens one question may cost, children included. `None`: no limit."""
    max_total_steps: int | None = None
    """Requests to the model one question may cost, children included. `None`: no limit."""
    max_total_seconds: float | None = None
    """Seconds one question may take, children included and waiting for a person left out. `None`: no limit."""
    max_total_cost: float | None = None
    """Money one question may cost, children included, in what `prices` are counted in. `None`: no limit."""
    prices: dict[str, Price] = field(default_factory=_no_prices)
    """Model -> what a million tokens cost: (in, out), or (in, out, in from the cache). A model that is not in it costs
    what the dearest does."""
    max_repeated_calls: int | None = 3
    """Equal calls with equal results before the model is warned; one more ends the loop. `None`: no limit."""
    max_iterations_per_tool: int | None = None
    """Calls of one tool in one question; further ones are answered without being run. `None`: no limit."""
    degrade_after_failures: int | None = None
    """Failed calls in one question after which the model is asked to answer without tools. `None`: never."""

    # -- history
    max_history_length: int = 100
    """Messages that `get_history()` gives at most, the last ones."""
    context_window: int = 128_000
    """Tokens the model can take."""
    compression_threshold: float = 0.8
    """The part of the window at which the conversation is made shorter."""
    memory_buffer_tokens: int | None = None
    """Tokens at which the conversation is made shorter, whatever the window. `None`: the threshold decides."""
    min_retain_rounds: int = 10
    """The last questions, with what followed each, that stay as they are as long as anything else can go."""
    enable_smart_compression: bool = False
    """A model writes the summary of what is taken out, rather than a rule."""
    summary_llm_provider: str | None = None
    """Whose protocol the summarising model speaks. Used with `summary_llm_model`."""
    summary_llm_model: str | None = None
    """The summarising model. `None`: the agent's own."""
    summary_max_tokens: int = 800
    """Tokens that a summary may take."""
    summary_temperature: float = 0.3
    """How much chance there is in a summary by a model of its own."""

    # -- results of tools
    tool_output_max_lines: int = 2000
    """Lines of a result that the model sees."""
    tool_output_max_bytes: int = 51200
    """Bytes of a result that the model sees."""
    tool_output_dir: str | None = None
    """Where results that were cut are kept whole. `None`: nowhere."""
    tool_output_truncate_direction: Literal["head", "tail", "head_tail", "summary"] = "head"
    """Which part of a long result is kept; `summary` keeps what stands out. Also `truncate_strategy`."""

    # -- traces and sessions
    debug: bool = False
    """Every entry of the journal goes to the logger `hello_agents`."""
    log_level: str = "INFO"
    """The level of these records."""
    trace_enabled: bool = True
    """`trace_logger` follows the agent: in memory, or in files where `trace_dir` is given."""
    trace_dir: str | None = None
    """The folder for traces. `None`: in memory."""
    trace_sanitize: bool = True
    """Secrets are masked in traces."""
    trace_html_include_raw_response: bool = False
    """The HTML report shows replies as the provider sent them."""
    session_enabled: bool = True
    """`session_store` is there: in memory, or as `persistence_backend` says."""
    persistence_backend: Literal["memory", "file", "redis"] = "memory"
    """Where sessions are kept. A `session_dir` means files."""
    session_dir: str | None = None
    """The folder for sessions. `None`: in memory, or `memory/sessions` for the backend `file`."""
    auto_save_enabled: bool = False
    """The session is saved by itself, under the agent's name."""
    auto_save_interval: int = 10
    """Entries between two automatic saves of a snapshot; the journal is written entry by entry."""

    # -- tools
    permissions: dict[str, Any] | None = None
    """Which calls run, which are asked for and which are refused, as `Policy.to_data` writes it. `None`: no rules."""
    step_timeout: float | None = None
    """Seconds a tool may take. `None`: the tool's own limit, if it has one."""
    circuit_enabled: bool = True
    """A tool that fails again and again is switched off for a while."""
    circuit_failure_threshold: int = 3
    """Failures in a row that switch a tool off. Also `tool_circuit_breaker_threshold`."""
    circuit_recovery_timeout: int = 300
    """Seconds until a tool that is off is tried again."""
    skills_enabled: bool = False
    """The folders below `skills_dir` are skills the agent may load."""
    skills_dir: str = "skills"
    """Where skills are. Also `skill_loader_path`."""
    skills_auto_register: bool = True
    """With skills: the tool Skill is on offer."""
    todowrite_enabled: bool = False
    """The tool TodoWrite is on offer."""
    todowrite_persistence_dir: str | None = None
    """Where todo lists are kept. `None`: in memory."""
    devlog_enabled: bool = False
    """The tool DevLog is on offer."""
    devlog_persistence_dir: str | None = None
    """Where logs of decisions are kept. `None`: in memory."""

    # -- sub-agents
    subagent_enabled: bool = False
    """The tool Task is on offer."""
    subagent_max_steps: int = 15
    """Steps of a sub-agent, unless its task says otherwise."""
    subagent_max_depth: int = 3
    """How deep sub-agents may hand tasks on; at this depth Task is no longer on offer."""
    subagent_use_light_llm: bool = False
    """Sub-agents use the light model."""
    subagent_light_llm_provider: str = "deepseek"
    """Whose protocol the light model speaks."""
    subagent_light_llm_model: str = "deepseek-chat"
    """The light model."""

    # -- awaiting and streaming
    async_enabled: bool = True
    """Independent calls run side by side where the loop awaits; otherwise one after another."""
    max_concurrent_tools: int = 3
    """Calls of one reply that may run at once where the loop awaits."""
    hook_timeout_seconds: float = 5.0
    """Seconds a hook may take; one that takes longer is noted and left."""
    llm_async_timeout: float | None = 120
    """Seconds a reply may take where the loop awaits. `None`: the client's own limit."""
    tool_async_timeout: float | None = 30
    """Seconds a tool may take where the loop awaits, unless it or `step_timeout` says otherwise. `None`: no limit."""
    stream_enabled: bool = True
    """`arun_stream` gives pieces of replies as they come, not only whole ones."""
    stream_buffer_size: int = 100
    """Stream events that `stream_buffer` keeps, the last ones."""
    stream_include_thinking: bool = True
    """Thinking is part of a stream."""
    stream_include_tool_calls: bool = True
    """Calls and their results are part of a stream."""

    def __init__(self, **values: Any) -> None:
        """Raises `ConfigException` for a field that does not exist, or a value of the wrong type."""
        known = {one.name: one for one in fields(Config)}
        given = {ALIASES.get(name, name): value for name, value in values.items()}
        for name in given.keys() - known.keys():
            raise ConfigException(f"Config has no field {name!r}. {_hint(name, [*known, *ALIASES])}")
        for name, one in known.items():
            if name in given:
                setattr(self, name, _checked(name, given[name]))
            else:
                setattr(self, name, one.default_factory() if callable(one.default_factory) else one.default)
        if self.session_dir is not None and self.persistence_backend == "memory":
            self.persistence_backend = "file"

    @property
    def truncate_strategy(self) -> str:
        return self.tool_output_truncate_direction

    @property
    def tool_circuit_breaker_threshold(self) -> int:
        return self.circuit_failure_threshold

    @property
    def skill_loader_path(self) -> str:
        return self.skills_dir

    @classmethod
    def production(cls, **values: Any) -> Config:
        """A profile for long tasks in a service. `values` override it."""
        profile: dict[str, Any] = {
            "max_steps": 20,
            "step_timeout": 30,
            "max_iterations_per_tool": 5,
            "memory_buffer_tokens": 4096,
            "persistence_backend": "redis",
            "tool_output_truncate_direction": "summary",
            "circuit_failure_threshold": 3,
            "subagent_max_depth": 3,
            "skills_dir": "./skills/",
            "degrade_after_failures": 3,
        }
        return cls(**profile | {ALIASES.get(name, name): value for name, value in values.items()})

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Config:
        """Reads every field from its name in capitals, as `CONTEXT_WINDOW=32000`; `none` stands for nothing.

        A blank variable counts as not set. Raises `ConfigException` naming the variable whose value cannot be read.
        """
        source = os.environ if environment is None else environment
        names = [one.name for one in fields(cls)] + list(ALIASES)
        values: dict[str, Any] = {}
        for name in names:
            raw = source.get(name.upper())
            if raw is not None and raw.strip():
                try:
                    values[name] = None if raw.strip().lower() == "none" else _read(ALIASES.get(name, name), raw)
                except ConfigException as error:
                    raise ConfigException(f"The variable {name.upper()} cannot be read. {error}") from error
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def llm(self) -> HelloAgentsLLM:
        """The model that these settings name."""
        from .llm import HelloAgentsLLM

        return HelloAgentsLLM(
            self.default_model,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            provider=self.default_provider,
        )


def _hint(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"Fields are {', '.join(known)}."


@cache
def _types() -> dict[str, Any]:
    return get_type_hints(Config)


def _read(name: str, raw: str) -> Any:
    """A value from the environment; tables are written as JSON."""
    if name not in ("prices", "permissions"):
        return _checked(name, raw)
    try:
        return _checked(name, json.loads(raw))
    except ValueError as error:
        raise ConfigException(f"{name}={raw!r} is not JSON: {error}. Write it as a JSON object.") from error


def _checked(name: str, value: Any) -> Any:
    """The value as the field's type; numbers and booleans may be written as text."""
    if value is None and type(None) in getattr(_types()[name], "__args__", ()):
        return None
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(_types()[name]).validate_python(value)
    except ValidationError as error:
        why = error.errors()[0]["msg"]
        raise ConfigException(f"{name}={value!r} does not fit: {why}. Give a {_types()[name]}.") from error
