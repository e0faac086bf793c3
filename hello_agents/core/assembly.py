"""The assembly: what an agent has besides its pattern, made from its `Config`, each part when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

from .config import Config
from .llm import HelloAgentsLLM
from .message import ToolCall

if TYPE_CHECKING:
    from ..context.token_counter import TokenCounter
    from ..context.truncator import ObservationTruncator
    from ..observability.trace_logger import TraceLogger
    from ..skills.loader import SkillLoader
    from ..tools.base import Tool
    from ..tools.circuit_breaker import CircuitBreaker
    from ..tools.registry import ToolRegistry
    from .action import Model
    from .loop import Actor, Loop
    from .run import Entry, Run
    from .sessions import Session, Store


class Part(cached_property[Any]):
    """A part that is made when it is first used. Where another is assigned, the agent is told."""

    def __set__(self, instance: object, value: Any) -> None:
        name = self.attrname or ""
        parts: dict[str, Any] = vars(instance)
        before: Any = parts.get(name)
        parts[name] = value
        cast("Assembly", instance)._replaced(before, value)  # pyright: ignore[reportPrivateUsage]


class Assembly:
    """The parts of an agent that do not depend on its pattern. Any of them may be replaced by assignment."""

    name: str
    llm: Model
    config: Config
    journal: list[Entry]

    _state: Run
    _start: Run
    _session: Session | None = None
    _walking: Loop | None = None
    _actors: dict[str, Actor]
    _tool_registry: ToolRegistry | None
    _views: dict[Any, ToolRegistry]
    _plain: ToolRegistry | None
    """The view that a run without filter and above no other uses: the one that is asked for at every step."""

    _plain_schemas: ClassVar[bool] = True
    """Whether `_build_tool_schemas` is not overridden."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._plain_schemas = cls._build_tool_schemas is Assembly._build_tool_schemas

    @property
    def state(self) -> Run:
        """The conversation so far, as a value. Assign an older or loaded run to go on from there."""
        return self._state

    @state.setter
    def state(self, run: Run) -> None:
        self._state = self._start = run
        self.journal = []
        self._session = self._walking = None
        self._actors = {}

    @property
    def tool_registry(self) -> ToolRegistry | None:
        """The caller's tools."""
        return self._tool_registry

    @tool_registry.setter
    def tool_registry(self, registry: ToolRegistry | None) -> None:
        self._tool_registry = registry
        self._views = {}
        self._plain = None

    @Part
    def truncator(self) -> ObservationTruncator:
        """What cuts long results of tools."""
        from ..context.truncator import ObservationTruncator

        config = self.config
        return ObservationTruncator(
            config.tool_output_max_lines,
            config.tool_output_max_bytes,
            config.tool_output_truncate_direction,
            config.tool_output_dir,
            language=config.language,
        )

    @cached_property
    def token_counter(self) -> TokenCounter:
        """What counts tokens as the agent's model does."""
        from ..context.token_counter import TokenCounter

        return TokenCounter(self.llm.model if isinstance(self.llm, HelloAgentsLLM) else "offline")

    @Part
    def trace_logger(self) -> TraceLogger | None:
        """What follows the agent; `None` where `trace_enabled` is off."""
        if not self.config.trace_enabled:
            return None
        from ..observability.trace_logger import TraceLogger

        config = self.config
        raw = config.trace_html_include_raw_response
        logger = TraceLogger(config.trace_dir, config.trace_sanitize, raw, language=config.language)
        self._follow(logger.subscriber)
        return logger

    @cached_property
    def skill_loader(self) -> SkillLoader | None:
        """The skills below `skills_dir`; `None` where they are not enabled."""
        if not self.config.skills_enabled:
            return None
        from ..skills.loader import SkillLoader

        return SkillLoader(self.config.skills_dir)

    @cached_property
    def session_store(self) -> Store | None:
        """Where sessions are kept; `None` where `session_enabled` is off."""
        from . import session_store as stores

        if not self.config.session_enabled:
            return None
        match self.config.persistence_backend:
            case "memory":
                return stores.MemorySessionStore()
            case "file":
                return stores.SessionStore(self.config.session_dir or "memory/sessions")
            case "redis":
                return stores.RedisSessionStore()

    @Part
    def circuit_breaker(self) -> CircuitBreaker | None:
        """What switches failing tools off; `None` where `circuit_enabled` is off."""
        if not self.config.circuit_enabled:
            return None
        from ..tools.circuit_breaker import CircuitBreaker

        return CircuitBreaker(self.config.circuit_failure_threshold, self.config.circuit_recovery_timeout)

    @cached_property
    def own_tools(self) -> tuple[Tool, ...]:
        """The tools that the agent brings along, besides those of its registry: its pattern's and its `config`'s."""
        return (*self._pattern_tools, *self._configured_tools())

    @cached_property
    def _pattern_tools(self) -> tuple[Tool, ...]:
        return self.pattern_tools()

    def _replaced(self, before: Any, part: Any) -> None:
        """Another part was assigned: tools that had the one of before are made anew, and a trace takes over."""
        self._views = {}
        self._plain = None
        subscribers = vars(self).get("subscribers")
        old, new = getattr(before, "subscriber", None), getattr(part, "subscriber", None)
        if subscribers is not None and old in subscribers:
            subscribers.remove(old)
        if subscribers is not None and new is not None:
            subscribers.append(new)

    def _follow(self, subscriber: Callable[[Entry, Run], None]) -> None:
        """Tells a subscriber of everything so far and of everything to come."""
        raise NotImplementedError

    def pattern_tools(self) -> tuple[Tool, ...]:
        """The tools that belong to the pattern, as Thought and Finish do to ReAct."""
        return ()

    def tools(self, run: Run) -> ToolRegistry:
        """The tools as this run may use them. The caller's registry stays as it is."""
        if self._plain is not None and run.limits.tools is None and not run.limits.depth:
            return self._plain
        view = self._tools(run, self.config.step_timeout)
        if run.limits.tools is None and not run.limits.depth:
            self._plain = view
        return view

    def atools(self, run: Run) -> ToolRegistry:
        """The same tools where the loop awaits: there a tool may be given up without holding up the others."""
        timeout = self.config.step_timeout
        return self._tools(run, self.config.tool_async_timeout if timeout is None else timeout)

    def _tools(self, run: Run, timeout: float | None) -> ToolRegistry:
        deep = run.limits.depth >= self.config.subagent_max_depth
        key = (run.limits.tools, deep, timeout)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = self._view(run.limits.tools, deep, timeout)
        return view

    def _view(self, names: tuple[str, ...] | None, deep: bool, timeout: float | None) -> ToolRegistry:
        """The caller's tools and the agent's own, as far as allowed; at the greatest depth without spawning ones."""
        registry, pattern = self._registry(), self._pattern_tools
        taken = set(registry.list_tools())
        own = [
            tool
            for tool in self.own_tools
            if tool.name not in taken
            and (names is None or tool.name in names or tool in pattern)
            and not (deep and tool.spawns)
        ]

        def allow(name: str) -> bool:
            tool = registry.get_tool(name)
            return (names is None or name in names) and not (deep and tool is not None and tool.spawns)

        unlimited: Callable[[str], bool] | None = allow if names is not None or deep else None
        view = registry.view(own, unlimited, timeout=timeout, shorten=self.truncator.shorten)
        if registry.circuit_breaker is None:
            view.circuit_breaker = self.circuit_breaker
        return self._with_own_steps(view, registry)

    def _with_own_steps(self, view: ToolRegistry, registry: ToolRegistry) -> ToolRegistry:
        """The view, with calls going through what a subclass of the agent or of the registry overrides."""
        from ..tools.registry import ToolRegistry

        kind = type(self)
        converts = kind._convert_parameter_types is not Assembly._convert_parameter_types
        own = converts or kind._execute_tool_call is not Assembly._execute_tool_call
        if not own and type(registry).execute_tool is ToolRegistry.execute_tool:
            return view
        from ..tools.by_hand import ByHand, by_agent, by_registry

        if own:
            return ByHand(view, by_agent(self, converts), [tool.name for tool in self._pattern_tools])
        return ByHand(view, by_registry(registry), [tool.name for tool in self.own_tools])

    # -- the three steps of a tool call, as the tutorial's framework names them ---------------------------------------

    def _build_tool_schemas(self) -> list[dict[str, Any]]:
        """The tools as a model is told of them."""
        return list(self.tools(self.state).schemas())

    def _convert_parameter_types(self, tool_name: str, param_dict: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the tool receives them; those of an unknown tool, or that do not fit, as they are."""
        tool = self.tools(self.state).get_tool(tool_name)
        try:
            return param_dict if tool is None else tool.parameters.read(param_dict)
        except ValueError:
            return param_dict  # The call will be answered with what is wrong.

    def _execute_tool_call(self, tool_name: str, arguments: dict[str, Any]) -> str:
        """The result of a call as the model reads it."""
        from ..tools.registry import ToolRegistry

        # Past `ByHand`, which may be what calls this.
        tools, call = self.tools(self.state), ToolCall("", tool_name, arguments)
        return ToolRegistry.answer(tools, call, self.config.language).text

    def _registry(self) -> ToolRegistry:
        """The caller's registry, or an empty one; never changed by the agent."""
        if self.tool_registry is None:
            from ..tools.registry import ToolRegistry

            return ToolRegistry()
        if not hasattr(self.tool_registry, "view"):
            kind = type(self.tool_registry).__name__
            raise TypeError(f"The tools of {self.name!r} are a {kind}. Put them into a ToolRegistry and pass that.")
        return self.tool_registry

    def _configured_tools(self) -> list[Tool]:
        from ..tools.builtin.task_tool import sub_agents_of

        config, language = self.config, self.config.language
        tools: list[Tool] = []
        if config.subagent_enabled:
            tools.append(sub_agents_of(self.llm, self.tool_registry, config))
        if config.todowrite_enabled:
            from ..tools.builtin.todowrite_tool import TodoWriteTool

            folder = config.todowrite_persistence_dir
            tools.append(TodoWriteTool(".", folder or "", persist=folder is not None, language=language))
        if config.devlog_enabled:
            from ..tools.builtin.devlog_tool import DevLogTool

            folder = config.devlog_persistence_dir
            persist = folder is not None
            tools.append(DevLogTool(self.name, self.name, ".", folder or "", persist=persist, language=language))
        if self.skill_loader is not None and config.skills_auto_register:
            from ..tools.builtin.skill_tool import SkillTool

            tools.append(SkillTool(self.skill_loader, language=language))
        return tools
