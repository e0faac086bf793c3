"""ToolSchema: a tool in Python beside the JSON that a model is told of it, and a call as a model would write one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from html import escape
from typing import Any, ClassVar, cast

from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.arguments import read_arguments
from hello_agents.core.at_rest import HUES, box, grid, pill, sheet, words
from hello_agents.core.message import ToolCall
from hello_agents.tools.base import FunctionTool, Tool
from hello_agents.tools.registry import ToolRegistry
from hello_agents.tools.schema import read_docstring
from hello_agents.tools.values import to_plain

from ._base import SHARED, SHARED_STYLES, BookWidget, module, style
from .timeline import compact_json

Json = dict[str, Any]

_SHOWN = ("type", "properties", "required")
"""The parts of a schema of parameters that the page has places for; what else there is follows them."""


class ToolSchema(BookWidget):
    """A tool's signature and docstring beside its JSON Schema, field by field, and a place to call it as a model would.

    `subject` is a function, a tool, or a registry, whose tools can be chosen from. `.schema` is the schema as a value,
    `.state` all that is shown, `.response` the message that the last call was answered with.
    """

    _esm: ClassVar[str] = module(*SHARED, "labels.js", "tool_schema.js")
    _css: ClassVar[str] = style(*SHARED_STYLES, "tool_schema.css")

    def __init__(
        self,
        subject: Callable[..., Any] | Tool | ToolRegistry,
        arguments: str | None = None,
        *,
        model: str = "gpt-4o",
        language: str = "en",
    ) -> None:
        self.registry = _registry_of(subject)
        """Where the tools are looked up and called."""
        self.language = language
        self.response: str | None = None
        """What the model would read after the last call."""
        self._counter = TokenCounter(model)
        self._trial: Json | None = None
        self._chosen = self.registry.list_tools()[0]
        self._written = arguments
        self._listed: list[str] = []
        super().__init__(subject)

    # -- values --------------------------------------------------------------------------------------

    @property
    def tool(self) -> Tool:
        """The tool that is shown."""
        return cast("Tool", self.registry.get_tool(self._chosen))

    @property
    def schema(self) -> Json:
        """The tool as a model is told of it."""
        return self.tool.to_openai_schema()

    @property
    def state(self) -> Json:
        """All that is shown, as plain JSON."""
        return self.head_json() | {"tools": self.registry.list_tools()}

    def choose(self, name: str) -> None:
        """Shows another tool of the registry."""
        if name not in self.registry.list_tools():
            raise ValueError(f"There is no tool {name!r}. There are {', '.join(self.registry.list_tools())}.")
        self._chosen, self._trial, self._written, self.response = name, None, None, None
        self.publish()

    def call(self, arguments: str) -> str:
        """Calls the tool with this JSON text, as a model would write it, and returns what the model would read."""
        self._try(arguments)
        self.publish()
        return cast("str", self.response)

    # -- inside --------------------------------------------------------------------------------------

    def take(self) -> Json | None:
        names = self.registry.list_tools()
        if names == self._listed:
            return None
        self._listed = names
        return {"listings": [names]}

    def head_json(self) -> Json:
        tool, schema = self.tool, self.schema
        parameters: Json = schema["function"]["parameters"]
        return {
            "title": tool.name,
            "language": self.language,
            "description": tool.description,
            "python": _python(tool),
            "fields": list(_fields(tool)),
            "more": [[name, compact_json(part)] for name, part in parameters.items() if name not in _SHOWN],
            "wire": compact_json(schema),
            "tokens": self._counter.count_tools([schema]),
            "exact": self._counter.exact,
            "written": self._written if self._written is not None else compact_json(_example(tool)),
            "examples": _examples(tool),
            "trial": self._trial,
        }

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        match op:
            case "choose":
                self.choose(str(args["name"]))
            case "call":
                self._try(str(args["arguments"]))
            case "dismiss":
                pass
            case _:
                raise ValueError(f"ToolSchema has no operation {op!r}. There are choose and call.")

    def _try(self, written: str) -> None:
        """Each stage of a call: the text read as JSON, the arguments converted, the function called, the message."""
        tool, self._written = self.tool, written
        arguments, fault = read_arguments(written, self.language)
        received: dict[str, Any] | None = None
        if fault is None:
            try:
                received = tool.parameters.read(arguments)
            except ValueError:
                received = None  # What is wrong stands in the message that the registry answers with.
        answer = self.registry.answer(ToolCall("call_1", tool.name, arguments, fault), self.language)
        self.response = answer.text
        self._trial = {
            "written": written,
            "read": fault is None,
            "fits": received is not None,
            "values": [
                {
                    "name": name,
                    "sent": compact_json(arguments[name]) if name in arguments else None,
                    "received": None if received is None or name not in received else _shown(received[name]),
                    "type": None if received is None or name not in received else type(received[name]).__name__,
                }
                for name in dict.fromkeys([*arguments, *(received or arguments)])
            ],
            "status": answer.status or "success",
            "code": answer.metadata.get("code"),
            "text": answer.text,
            "tokens": self._counter.count_text(answer.text),
        }

    # -- at rest -------------------------------------------------------------------------------------

    def summary(self) -> str:
        head = self.head_json()
        lines = [f"ToolSchema: {head['title']} ({len(head['fields'])} parameters, {head['tokens']} tokens)"]
        for field in head["fields"]:
            need = "required" if field["required"] else "optional"
            lines.append(f"  {field['python']} -> {field['json']} ({need})")
        if self._trial:
            lines += [f"called with {self._trial['written']}", f"  {self._trial['status']}: {self._trial['text']}"]
        return "\n".join(lines)

    def picture(self) -> str:
        head = self.head_json()
        rows = [
            [
                f"<code>{escape(field['python'])}</code>",
                f"<code>{escape(field['json'])}</code>",
                "required" if field["required"] else "optional",
            ]
            for field in head["fields"]
        ]
        body = box(HUES["tools"], "<b>Python</b>", words(head["python"]))
        body += grid(("Python", "JSON Schema", "value"), rows)
        if self._trial:
            status = str(self._trial["status"])
            hue = HUES["error"] if status == "error" else HUES["results"]
            body += box(HUES["assistant"], "<b>call</b>", words(f"{head['title']}({self._trial['written']})"))
            body += box(hue, f"<b>{escape(head['title'])}</b> {pill(escape(status))}", words(self._trial["text"]))
        size = len(head["wire"].encode("utf-8", "replace"))
        return sheet(
            head["title"], ("tool",), body, f"{size:,} bytes · {head['tokens']:,} tokens", language=self.language
        )


def _registry_of(subject: Callable[..., Any] | Tool | ToolRegistry) -> ToolRegistry:
    match subject:
        case ToolRegistry():
            if not subject.list_tools():
                raise ValueError("The registry has no tools yet. Register one, or pass a function.")
            return subject
        case Tool():
            registry = ToolRegistry()
            registry.register_tool(subject)
            return registry
        case _ if callable(subject):
            registry = ToolRegistry()
            registry.register_function(subject)
            return registry
        case _:
            raise TypeError(
                f"ToolSchema shows a function, a tool or a registry, not {type(subject).__name__}. Pass one of them."
            )


def _python(tool: Tool) -> str:
    """The signature and the docstring, or the list of parameters, as Python."""
    if not isinstance(tool, FunctionTool):
        listed = "".join(
            f"    ToolParameter({one.name!r}, {one.type!r}, {one.description!r}"
            + ("" if one.required else ", required=False")
            + ("" if one.default is None else f", default={one.default!r}")
            + "),\n"
            for one in tool.get_parameters()
        )
        return f"{type(tool).__name__}(name={tool.name!r})\n[\n{listed}]"
    signature = inspect.signature(tool.function)
    kind = "async def" if inspect.iscoroutinefunction(tool.function) else "def"
    name = _defined_name(tool.function) or tool.name
    lines = ",\n".join(f"    {_written(one)}" for one in signature.parameters.values())
    returned = signature.return_annotation
    arrow = "" if returned is signature.empty else f" -> {_annotation(returned)}"
    head = f"{kind} {name}(\n{lines},\n){arrow}:" if lines else f"{kind} {name}(){arrow}:"
    doc = inspect.getdoc(tool.function)
    if not doc:
        return head
    inner = "\n".join(f"    {line}" if line else "" for line in doc.splitlines())
    return f'{head}\n    """{inner.lstrip()}' + ('\n    """' if "\n" in doc else '"""')


def _defined_name(function: Callable[..., Any]) -> str | None:
    """The name a function was defined by; a callable object has none."""
    return function.__name__ if inspect.isroutine(function) else None


def _annotation(hint: object) -> str:
    """An annotation as it is written, also where annotations are kept as text, and of a class of the notebook."""
    return (hint if isinstance(hint, str) else inspect.formatannotation(hint)).replace("__main__.", "")


def _written(parameter: inspect.Parameter) -> str:
    """A parameter as it is written."""
    hint, default = parameter.annotation, parameter.default
    bare = str(parameter.replace(annotation=parameter.empty, default=parameter.empty))
    hinted = "" if hint is parameter.empty else f": {_annotation(hint)}"
    if default is parameter.empty:
        return f"{bare}{hinted}"
    value = f"{type(default).__name__}.{default.name}" if isinstance(default, Enum) else repr(default)
    return f"{bare}{hinted}{' = ' if hinted else '='}{value}"


def _fields(tool: Tool) -> Iterator[Json]:
    """The parameters one by one: in Python, in the schema, and what the docstring says."""
    schema = tool.parameters.schema
    written = _written_parameters(tool)
    documented: Mapping[str, str] = read_docstring(tool.function).arguments if isinstance(tool, FunctionTool) else {}
    for name, part in schema["properties"].items():
        yield {
            "name": name,
            "python": written.get(name, name),
            "doc": documented.get(name, part.get("description", "")),
            "json": compact_json(part),
            "required": name in schema["required"],
            "default": compact_json(part["default"]) if "default" in part else None,
        }


def _written_parameters(tool: Tool) -> dict[str, str]:
    if isinstance(tool, FunctionTool):
        return {name: _written(one) for name, one in inspect.signature(tool.function).parameters.items()}
    return {one.name: f"{one.name}: {one.type}" for one in tool.get_parameters()}


def _example(tool: Tool) -> Json:
    """Arguments that fit, as far as the schema tells."""
    schema = tool.parameters.schema
    return {name: _sample(part) for name, part in schema["properties"].items() if name in schema["required"]}


def _sample(part: Mapping[str, Any]) -> Any:
    if "enum" in part:
        return part["enum"][0]
    for options in (part.get("anyOf"), part.get("oneOf")):
        if options:
            return _sample(options[0])
    match part.get("type"):
        case "integer":
            return 3
        case "number":
            return 1.5
        case "boolean":
            return True
        case "array":
            return [_sample(part["items"])] if part.get("items") else []
        case "object":
            inside: Mapping[str, Any] = part.get("properties", {})
            return {name: _sample(one) for name, one in inside.items() if name in part.get("required", inside)}
        case _:
            return "text"


def _examples(tool: Tool) -> list[Json]:
    """Arguments to try: some that fit, and what models get wrong."""
    good = _example(tool)
    schema = tool.parameters.schema
    found: list[Json] = [{"kind": "fits", "text": compact_json(good)}]
    texts: Json = {
        name: str(_sample(part)).lower()
        for name, part in schema["properties"].items()
        if part.get("type") in ("integer", "number", "boolean") and "enum" not in part
    }
    if texts:
        found.append({"kind": "astext", "text": compact_json(good | texts)})
    if schema["required"]:
        left = {name: value for name, value in good.items() if name != schema["required"][0]}
        found.append({"kind": "missing", "text": compact_json(left)})
    found.append({"kind": "unknown", "text": compact_json(good | {"verbose": True})})
    found.append({"kind": "broken", "text": compact_json(good)[:-1]})
    return found


def _shown(value: object) -> str:
    """A value as Python shows it, without addresses in memory."""
    shown = repr(value)
    return shown if " at 0x" not in shown else compact_json(to_plain(value))


__all__ = ["ToolSchema"]
