"""The registry: the tools an agent may use, by name, and the answers to its calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from math import ceil
from typing import Any, Protocol, cast

from ..catalogue import text
from ..core.message import Message, Status, ToolCall
from .base import FunctionTool, Tool
from .circuit_breaker import Admission, CircuitBreaker
from .errors import ToolErrorCode
from .executor import aexecute, execute, say
from .response import ToolResponse, ToolStatus
from .tool_filter import ToolFilter, names_of

Allow = Callable[[str], bool] | Collection[str] | ToolFilter
"""Which names are on offer: a predicate over names, the names, or a filter."""

Shorten = Callable[[str, ToolResponse], ToolResponse]
"""The name of a tool and its result -> the result as the model is to see it."""


class Breaker(Protocol):
    """Something that switches a tool off after too many failures. `CircuitBreaker` is one, and knows more."""

    def is_open(self, tool_name: str) -> bool: ...

    def record_result(self, tool_name: str, response: ToolResponse) -> None: ...


class _Watched:
    """A breaker that knows nothing of admissions, as one that does."""

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker

    def admit(self, tool_name: str) -> Admission:
        return Admission(tool_name, not self._breaker.is_open(tool_name))

    def settle(self, admission: Admission, response: ToolResponse | None) -> None:
        if response is not None:
            self._breaker.record_result(admission.tool, response)


class ToolRegistry:
    """Tools by name. Registering a name twice is an error unless `replace` says otherwise."""

    def __init__(self, circuit_breaker: Breaker | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        self._base: ToolRegistry | None = None
        self._allow: Callable[[str], bool] | None = None
        self._breaker: Breaker | None = None
        self._guard: CircuitBreaker | _Watched | None = None
        self.circuit_breaker = circuit_breaker
        self._timeout: float | None = None
        self._shorten: Shorten | None = None
        self._changes = 0
        self._changing: tuple[Tool, ...] = ()
        self._twins: dict[str, tuple[Tool, Tool]] | None = None
        self._schemas: tuple[int, tuple[dict[str, Any], ...]] = (-1, ())
        self._spawning: tuple[int, frozenset[str]] = (-1, frozenset())
        self._reads: dict[str, dict[str, Any]] = {}

    # --- putting tools in --------------------------------------------------------------------------------------------

    def register_tool(
        self,
        tool: Tool | Callable[..., Any] | str,
        auto_expand: bool | str | Callable[..., Any] = True,
        description: str | Callable[..., Any] | None = None,
        *,
        replace: bool = False,
    ) -> None:
        """Adds a tool; an expandable one is replaced by its actions unless `auto_expand` is false.

        A function does as well as a tool, and so do `(name, function, description)` and `(name, description,
        function)`. Raises `ValueError` when a name is taken.
        """
        match tool:
            case Tool():
                expanded = tool.get_expanded_tools() if auto_expand else []
                self._add(expanded or [tool], replace)
            case str():
                function, words = _function_and_words(auto_expand, description)
                self._add([FunctionTool(function, tool, words)], replace)
            case _:
                self._add([FunctionTool(tool)], replace)

    def register_function(
        self,
        func: Callable[..., Any] | str,
        name: str | None = None,
        description: str | Callable[..., Any] | None = None,
        *,
        replace: bool = False,
        timeout: float | None = None,
        needs_approval: bool = False,
    ) -> Callable[..., Any]:
        """Adds a function, named and described by itself unless told otherwise, and returns it.

        `(name, description, function)` is understood as well. Raises `ValueError` when the name is taken.
        """
        if isinstance(func, str):
            function, words = _function_and_words(name, description)
            tool = FunctionTool(function, func, words, timeout=timeout, needs_approval=needs_approval)
        else:
            words = description if isinstance(description, str) else None
            tool = FunctionTool(func, name, words, timeout=timeout, needs_approval=needs_approval)
        self._add([tool], replace)
        return tool.function

    def _add(self, tools: list[Tool], replace: bool) -> None:
        """All of them or, when a name is taken, none."""
        names: set[str] = set()
        for tool in tools:
            if not tool.name or not tool.name.strip():
                raise ValueError(f"{tool!r} has no name. Give it one that a model can call it by.")
            if tool.name in names or (tool.name in self._tools and not replace):
                raise ValueError(
                    f"There is a tool {tool.name!r} already. Choose another name, or register with replace=True."
                )
            names.add(tool.name)
        for tool in tools:
            self._tools[tool.name] = tool
        self._changed()

    def unregister(self, name: str) -> None:
        """Takes a tool out; one that is not there is no error."""
        self._tools.pop(name, None)
        self._changed()

    def clear(self) -> None:
        """Takes all tools out."""
        self._tools.clear()
        self._changed()

    # --- looking -----------------------------------------------------------------------------------------------------

    def get_tool(self, name: str) -> Tool | None:
        """The tool of this name; a registered function is one too."""
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        base, allow = self._base, self._allow
        if base is None or not (allow is None or allow(name)):
            return None
        tool = base.get_tool(name)
        return tool if tool is None or self._twins is None else self._twin(tool, self._twins)

    def get_function(self, name: str) -> Callable[..., Any] | None:
        """The function registered under this name."""
        match self.get_tool(name):
            case FunctionTool(function=function):
                return function
            case _:
                return None

    def list_tools(self) -> list[str]:
        """The names, in the order of registration; in a view, its own tools first."""
        names = list(self._tools)
        if self._base is not None:
            allow = self._allow
            names += [
                name for name in self._base.list_tools() if name not in self._tools and (allow is None or allow(name))
            ]
        return names

    def get_all_tools(self) -> list[Tool]:
        """The tools, functions among them, in the order of `list_tools`."""
        found = [self.get_tool(name) for name in self.list_tools()]
        return [tool for tool in found if tool is not None]

    def get_tools_description(self, language: str = "en") -> str:
        """One line for each tool."""
        lines = [f"- {tool.name}: {tool.description}" for tool in self.get_all_tools()]
        return "\n".join(lines) or text("tool.list.empty", language)

    def schemas(self) -> tuple[dict[str, Any], ...]:
        """The tools as a model is told of them. The same object until something is registered or taken out."""
        version = self._version()
        if self._schemas[0] != version:
            self._schemas = version, tuple(tool.to_openai_schema() for tool in self.get_all_tools())
        return self._schemas[1]

    def view(
        self,
        extra: Iterable[Tool] = (),
        allow: Allow | None = None,
        *,
        timeout: float | None = None,
        shorten: Shorten | None = None,
    ) -> ToolRegistry:
        """A registry over this one: `extra` tools on top, and of these only the allowed ones.

        It stays up to date with this one, and what is registered in it stays in it. `allow` is a predicate over names,
        a collection of them or a `ToolFilter`; `None` means all, `[]` none. `timeout` is the seconds for tools that
        have no limit of their own, and `shorten` is applied to each result before it becomes a message; without them
        those of this registry hold.
        """
        view = ToolRegistry()
        view._base = self
        view._reads = self._reads
        view._allow = _predicate(allow)
        view._timeout = timeout
        view._shorten = shorten
        view._add(list(extra), False)
        return view

    def apart(self) -> ToolRegistry:
        """The registry as another conversation has it: what its file tools have read is its own affair, and so are the
        tools that belong to one agent alone."""
        view = self.view(other for tool in self.get_all_tools() if (other := tool.apart()) is not tool)
        view._reads = {}
        view._twins = {}
        return view

    def _twin(self, tool: Tool, twins: dict[str, tuple[Tool, Tool]]) -> Tool:
        """The tool as this registry has it."""
        known = twins.get(tool.name)
        if known is None or known[0] is not tool:
            known = twins[tool.name] = (tool, tool.bound(self))
        return known[1]

    def spawning(self) -> frozenset[str]:
        """The names of the tools whose calls become child runs."""
        version = self._version()
        if self._spawning[0] != version:
            self._spawning = version, frozenset(tool.name for tool in self.get_all_tools() if tool.spawns)
        return self._spawning[1]

    def asks(self, call: ToolCall) -> bool:
        """Whether a person must agree to this call."""
        tool = self.get_tool(call.name)
        return tool is not None and call.fault is None and tool.needs_approval

    def _changed(self) -> None:
        # What the tools of before had counted stays in, so that the version only grows.
        self._changes += 1 + sum(tool.changes for tool in self._changing)
        self._changing = tuple(tool for tool in self._tools.values() if type(tool).changes is not Tool.changes)

    def _version(self) -> int:
        """Grows whenever what the tools say of themselves may have changed."""
        version = 0
        registry: ToolRegistry | None = self
        while registry is not None:
            version += registry._changes
            for tool in registry._changing:
                version += tool.changes
            registry = registry._base
        return version

    # --- running -----------------------------------------------------------------------------------------------------

    @property
    def circuit_breaker(self) -> Breaker | None:
        """What watches over failing tools; a view has its own or else that of the registry below."""
        if self._breaker is None and self._base is not None:
            return self._base.circuit_breaker
        return self._breaker

    @circuit_breaker.setter
    def circuit_breaker(self, breaker: Breaker | None) -> None:
        self._breaker = breaker
        self._guard = breaker if breaker is None or isinstance(breaker, CircuitBreaker) else _Watched(breaker)

    @property
    def default_timeout(self) -> float | None:
        """Seconds for tools that have no limit of their own; a view has its own or else that of the registry below."""
        registry: ToolRegistry | None = self
        while registry is not None and registry._timeout is None:
            registry = registry._base
        return None if registry is None else registry._timeout

    @default_timeout.setter
    def default_timeout(self, seconds: float | None) -> None:
        self._timeout = seconds

    def answer(self, call: ToolCall, language: str = "en") -> Message:
        """The result of a call, as a message to the model. Whatever the tool does, there is one."""
        tool = self._find(call, language)
        response = self._run(tool, call.name, call.arguments, language) if isinstance(tool, Tool) else tool
        return message_of(call, self._shortened(call.name, response), language)

    async def aanswer(self, call: ToolCall, language: str = "en") -> Message:
        """`answer` for asynchronous code."""
        tool = self._find(call, language)
        response = await self._arun(tool, call.name, call.arguments, language) if isinstance(tool, Tool) else tool
        return message_of(call, self._shortened(call.name, response), language)

    def execute_tool(
        self, name: str, input_text: str | dict[str, Any] | None = None, language: str = "en"
    ) -> ToolResponse:
        """Runs a tool by name with arguments: a dict, its JSON text, or a text for the one parameter there is."""
        found = self._by_hand(name, input_text, language)
        return found if isinstance(found, ToolResponse) else self._run(found[0], name, found[1], language)

    async def aexecute_tool(
        self, name: str, input_text: str | dict[str, Any] | None = None, language: str = "en"
    ) -> ToolResponse:
        """`execute_tool` for asynchronous code."""
        found = self._by_hand(name, input_text, language)
        return found if isinstance(found, ToolResponse) else await self._arun(found[0], name, found[1], language)

    def _by_hand(
        self, name: str, input_text: str | dict[str, Any] | None, language: str
    ) -> tuple[Tool, dict[str, Any]] | ToolResponse:
        """The tool and its arguments, or the answer that spares running it."""
        tool = self._find(ToolCall("", name), language)
        if not isinstance(tool, Tool):
            return tool
        match input_text:
            case None:
                arguments: dict[str, Any] | None = {}
            case dict():
                arguments = input_text
            case str():
                arguments = _arguments_of(tool, input_text)
        if arguments is None:
            names = ", ".join(tool.parameters.names)
            why = text("tool.arguments.text" if names else "tool.arguments.no_text", language, names=names)
            return ToolResponse.error(ToolErrorCode.INVALID_PARAM, why)
        return tool, arguments

    def _find(self, call: ToolCall, language: str) -> Tool | ToolResponse:
        """The tool that is called, or the answer that spares running it."""
        if call.fault is not None:
            return ToolResponse.error(ToolErrorCode.INVALID_FORMAT, call.fault)
        tool = self.get_tool(call.name)
        if tool is None:
            return ToolResponse.error(ToolErrorCode.NOT_FOUND, self._unknown(call.name, language))
        return tool

    def _run(self, tool: Tool, name: str, arguments: dict[str, Any], language: str) -> ToolResponse:
        """Runs the tool if the breaker lets it, and tells the breaker what came of it."""
        guard = self._watcher()
        if guard is None:
            return execute(tool, arguments, language, self.default_timeout)
        admission = guard.admit(name)
        if not admission.admitted:
            return _refused(admission, language)
        response: ToolResponse | None = None
        try:
            response = execute(tool, arguments, language, self.default_timeout)
            return response
        finally:
            guard.settle(admission, response)

    async def _arun(self, tool: Tool, name: str, arguments: dict[str, Any], language: str) -> ToolResponse:
        guard = self._watcher()
        if guard is None:
            return await aexecute(tool, arguments, language, self.default_timeout)
        admission = guard.admit(name)
        if not admission.admitted:
            return _refused(admission, language)
        response: ToolResponse | None = None
        try:
            response = await aexecute(tool, arguments, language, self.default_timeout)
            return response
        finally:
            guard.settle(admission, response)

    def _watcher(self) -> CircuitBreaker | _Watched | None:
        registry: ToolRegistry | None = self
        while registry is not None and registry._guard is None:
            registry = registry._base
        return None if registry is None else registry._guard

    def _shortened(self, name: str, response: ToolResponse) -> ToolResponse:
        registry: ToolRegistry | None = self
        while registry is not None and registry._shorten is None:
            registry = registry._base
        if registry is None or registry._shorten is None:
            return response
        try:
            return registry._shorten(name, response)
        except Exception as error:
            # A result that could not be shortened is still the result of the call.
            response.stats = {**(response.stats or {}), "shorten_error": say(error)}
            return response

    def _unknown(self, name: str, language: str) -> str:
        from difflib import get_close_matches

        names = self.list_tools()
        if not names:
            return text("tool.unknown.empty", language, name=name)
        near = get_close_matches(name, names, 3, 0.5)
        ordered = ", ".join([*near, *(other for other in names if other not in near)])
        if not near:
            return text("tool.unknown", language, name=name, names=ordered)
        return text("tool.unknown.near", language, name=name, near=near[0], names=ordered)

    # --- what the file tools remember --------------------------------------------------------------------------------

    def cache_read_metadata(self, file_path: str, metadata: dict[str, Any]) -> None:
        """Remembers what a file was like when it was read, so that a later write can tell whether it changed."""
        self._reads[file_path] = dict(metadata)

    def get_read_metadata(self, file_path: str) -> dict[str, Any] | None:
        return self._reads.get(file_path)

    def read_metadata(self) -> dict[str, dict[str, Any]]:
        """All that is remembered, by file."""
        return {name: dict(facts) for name, facts in self._reads.items()}

    def clear_read_cache(self, file_path: str | None = None) -> None:
        """Forgets one file, or all."""
        if file_path is None:
            self._reads.clear()
        else:
            self._reads.pop(file_path, None)


global_registry = ToolRegistry()
"""A registry that everybody may share. The library itself registers nothing in it."""

_STATUS: dict[ToolStatus, Status] = {
    ToolStatus.SUCCESS: "success",
    ToolStatus.PARTIAL: "partial",
    ToolStatus.ERROR: "error",
}


def result_text(response: ToolResponse, language: str = "en") -> str:
    """A response as the model reads it: a success bare, anything else with its state in front."""
    match response.status:
        case ToolStatus.SUCCESS:
            return response.text
        case ToolStatus.PARTIAL:
            return text("tool.partial", language, text=response.text)
        case ToolStatus.ERROR:
            return text("tool.error", language, code=response.code, text=response.text)


def _refused(admission: Admission, language: str) -> ToolResponse:
    """The answer of a tool that is switched off: for how long, as far as that is known."""
    if admission.seconds is None:
        message = text("tool.circuit_open", language, tool=admission.tool)
    else:
        message = text("tool.circuit_open.until", language, tool=admission.tool, seconds=ceil(admission.seconds))
    return ToolResponse.error(ToolErrorCode.CIRCUIT_OPEN, message)


def _predicate(allow: Allow | None) -> Callable[[str], bool] | None:
    match allow:
        case None:
            return None
        case ToolFilter():
            return allow.is_allowed
        case _:
            return allow if callable(allow) else names_of(allow).__contains__


def message_of(call: ToolCall, response: ToolResponse, language: str) -> Message:
    """A response as the message that answers the call."""
    status = response.status
    if status is ToolStatus.SUCCESS:
        return Message(response.text, "tool", answers=call.id, status="success", metadata={"tool": call.name})
    metadata = {"tool": call.name} if response.code is None else {"tool": call.name, "code": response.code}
    return Message(result_text(response, language), "tool", answers=call.id, status=_STATUS[status], metadata=metadata)


def _function_and_words(first: object, second: object) -> tuple[Callable[..., Any], str | None]:
    """A function and its description, whichever comes first."""
    for function, words in ((first, second), (second, first)):
        if callable(function) and (words is None or isinstance(words, (str, bool))):
            return cast("Callable[..., Any]", function), words if isinstance(words, str) else None
    raise TypeError("A name needs a function and a description with it: (name, description, function).")


def _arguments_of(tool: Tool, written: str) -> dict[str, Any] | None:
    """Arguments written as text; `None` when the text could stand for any of several parameters."""
    names, required = tool.parameters.names, tool.parameters.required
    try:
        parsed = json.loads(written)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict) and all(name in names for name in cast("dict[str, Any]", parsed)):
        return cast("dict[str, Any]", parsed)
    for candidates in (names, required, [name for name in names if name == "input"]):
        if len(candidates) == 1:
            return {candidates[0]: written}
    return {} if not names and not written.strip() else None
