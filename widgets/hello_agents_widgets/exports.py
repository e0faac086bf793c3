"""A run to take away: as JSON, as a journal, and as a test that plays it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import signature

from hello_agents.catalogue import text
from hello_agents.core.agent import Agent
from hello_agents.core.debugger import Debugger
from hello_agents.core.journal import dump_journal
from hello_agents.core.message import Message, ToolCall
from hello_agents.core.run import Began, Entry, Judged, Limits, Noted, Replied, Returned, Run, Told

KINDS = {"json": "json", "journal": "jsonl", "pytest": "py"}
"""What there is to take, with the ending of its file."""


def export(debugger: Debugger, kind: str, tools: str | None = None) -> str:
    """The run at the cursor as JSON; the branch as a journal of JSON lines, or as the text of a test file.

    Raises `ValueError` for another kind, and for a run that cannot be played again.
    """
    match kind:
        case "json":
            return debugger.run.to_json()
        case "journal":
            return dump_journal(debugger.entries)
        case "pytest":
            return as_pytest(debugger, tools)
        case _:
            raise ValueError(f"A run cannot be taken away as {kind!r}. There are {', '.join(KINDS)}.")


def as_pytest(debugger: Debugger, tools: str | None = None) -> str:
    """A test file that plays the branch again: the model says what it said, the tools answer what they answered.

    `tools` (`"package.module:registry"`) names a registry to run instead of the recorded results.
    """
    agent = _playable(debugger)
    start, entries = debugger.start, debugger.entries
    end = debugger.run_at(len(entries) - 1)
    own = {} if tools else _results(entries, end, agent)
    words = {
        "title": f"A run of {agent.name!r} as a test: the same replies have to lead to the same calls and answer.",
        "imports": "\n".join(_imports(agent, start, tools)),
        "start": f"START = Run.from_json({start.to_json()!r})\n" if _has_past(start) else "",
        "asked": _listed("ASKED", [repr((question, limits)) for question, limits in _questions(entries)]),
        "replies": _listed("REPLIES", ['""'] * start.steps + [_reply(entry) for entry in _replies(entries)]),
        "results": _results_text(own) if not tools else "",
        "calls": _listed("CALLS", [repr((c.name, c.arguments)) for m in end.messages for c in m.tool_calls]),
        "making": _making(agent, _system(end), tools),
        "from": "START" if _has_past(start) else "agent.state",
        "walk": "debugger.finish()" if end.outcome is not None else _walk_of(debugger),
        "end": _ending(end),
        "recorded": "" if tools else _RECORDED,
    }
    return _FILE.format(**words)


_FILE = '''"""{title}

Written by LoopInspector.
"""

{imports}

{start}{asked}
{replies}
{results}{calls}

{recorded}
def test_the_run_goes_as_it_went():
    agent = {making}
    run = {from}
    for question, limits in ASKED:
        debugger = agent.steps(question, run=run, **limits)
        {walk}
        run = debugger.run
    assert [(call.name, call.arguments) for message in run.messages for call in message.tool_calls] == CALLS
{end}
'''

_RECORDED = '''
def recorded(results):
    """A tool that gives the recorded results, one after the other."""
    left = list(results)

    def answer(**arguments):
        status, code, text = left.pop(0)
        if status == "error":
            return ToolResponse.error(code, text)
        return ToolResponse.partial(text) if status == "partial" else ToolResponse.success(text)

    return answer


def tools():
    registry = ToolRegistry()
    for name, results in RESULTS.items():
        registry.register_function(recorded(results), name=name, description="Answers as recorded.")
    return registry

'''


def _playable(debugger: Debugger) -> Agent:
    """The agent of a run that a test can play again. Raises `ValueError` that says why another cannot."""
    agent = debugger.agent
    if agent is None:
        raise ValueError("A finished run alone does not say how its agent decides. Pass the agent to LoopInspector.")
    for entry in debugger.entries:
        if entry.frame:
            raise ValueError(f"The run has a sub-agent, {entry.frame!r}, which a test cannot script. Take a journal.")
        if isinstance(entry.event, Noted) and entry.event.step:
            raise ValueError("The model failed in this run, which a test of replies cannot play. Take a journal.")
    kind = type(agent)
    missing = {"name", "llm", "system_prompt", "tool_registry"} - signature(kind).parameters.keys()
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__ or missing:
        raise ValueError(f"A test file cannot make a {kind.__name__}. Put the class into a module, or take a journal.")
    return agent


def _imports(agent: Agent, start: Run, tools: str | None) -> Iterator[str]:
    names = {"Message", "ScriptedLLM", "ToolCall"}
    if not tools:
        names |= {"ToolRegistry", "ToolResponse"}
    if _has_past(start):
        names.add("Run")
    if agent.language != "en":
        names.add("Config")
    yield f"from hello_agents import {', '.join(sorted(names))}"
    yield f"from {type(agent).__module__} import {type(agent).__name__}"
    if tools:
        module, _, name = tools.partition(":")
        if not module or not name.isidentifier():
            raise ValueError(
                f"{tools!r} names no registry. Write the module and the name in it: 'package.module:name'."
            )
        yield f"from {module} import {name}"


def _has_past(start: Run) -> bool:
    return bool(start.messages) or start.steps > 0


def _replies(entries: Sequence[Entry]) -> Iterator[Message]:
    return (entry.event.message for entry in entries if isinstance(entry.event, Replied))


def _reply(message: Message) -> str:
    calls = [_call(call) for call in message.tool_calls]
    if message.reasoning or (calls and message.content is not None) or (not calls and message.content is None):
        thought = f", reasoning={message.reasoning!r}" if message.reasoning else ""
        return f'Message({message.content!r}, "assistant", tool_calls=[{", ".join(calls)}]{thought})'
    if not calls:
        return repr(message.content)
    return calls[0] if len(calls) == 1 else f"[{', '.join(calls)}]"


def _call(call: ToolCall) -> str:
    fault = f", {call.fault!r}" if call.fault else ""
    return f"ToolCall({call.id!r}, {call.name!r}, {call.arguments!r}{fault})"


def _questions(entries: Sequence[Entry]) -> Iterator[tuple[str, dict[str, int | None]]]:
    """What was asked, and the limits that held for it."""
    limits = Limits()
    for entry in entries:
        if isinstance(entry.event, Told) and entry.event.message.role == "user":
            limits = entry.event.limits or limits
            bounds = {"max_steps": limits.max_steps, "max_tokens": limits.max_tokens, "max_repeats": limits.max_repeats}
            yield entry.event.message.text, bounds


Results = dict[str, list[tuple[str, str | None, str]]]


def _results(entries: Sequence[Entry], end: Run, agent: Agent) -> Results:
    """By tool of the reader: state, code and text of each result of a call that was run, or refused."""
    ran: set[str] = set()
    names = {call.id: call.name for message in end.messages for call in message.tool_calls if not call.fault}
    own = agent.tool_registry.list_tools() if agent.tool_registry else []
    results: Results = {name: [] for name in own}
    for entry in entries:
        match entry.event:
            case Began(call_id) | Judged(call_id, False):
                ran.add(call_id)
            case Returned(message) if message.answers in ran and names.get(message.answers or "") in results:
                results[names[message.answers or ""]].append(_result(message, agent.language))
                ran.discard(message.answers or "")
            case _:
                pass
    return results


def _result(message: Message, language: str) -> tuple[str, str | None, str]:
    """What the tool has to answer so that the model is told this."""
    status = message.status or "success"
    code = str(message.metadata.get("code") or "EXECUTION_ERROR") if status == "error" else None
    before = {"error": "tool.error", "partial": "tool.partial"}.get(status)
    prefix = text(before, language, code=code, text="") if before else ""
    return status, code, message.text.removeprefix(prefix)


def _results_text(results: Results) -> str:
    lines: list[str] = []
    for name, answers in results.items():
        lines += [f"    {name!r}: [\n", *(f"        {answer!r},\n" for answer in answers), "    ],\n"]
    return "RESULTS = {\n" + "".join(lines) + "}\n"


def _system(end: Run) -> str | None:
    first = end.messages[0] if end.messages else None
    return first.text if first is not None and first.role == "system" else None


def _making(agent: Agent, system: str | None, tools: str | None) -> str:
    registry = tools.partition(":")[2] if tools else "tools()"
    language = f", config=Config(language={agent.language!r})" if agent.language != "en" else ""
    return (
        f"{type(agent).__name__}(\n        name={agent.name!r},\n        llm=ScriptedLLM(*REPLIES),\n"
        f"        system_prompt={system!r},\n        tool_registry={registry}{language},\n    )"
    )


def _walk_of(debugger: Debugger) -> str:
    """A run that has not ended is played as far as it went."""
    asked = max(
        (i for i, entry in enumerate(debugger.entries) if isinstance(entry.event, Told)),
        default=-1,
    )
    last = sum(1 for step in debugger.steps if step.start > asked)
    return f"debugger.step({last}) if question == ASKED[-1][0] else debugger.finish()"


def _ending(end: Run) -> str:
    if end.outcome is None:
        return "    assert run.outcome is None"
    return f"    assert run.outcome.reason == {end.outcome.reason!r}\n    assert run.answer == {end.answer!r}"


def _listed(name: str, items: Sequence[str]) -> str:
    return f"{name} = [\n" + "".join(f"    {item},\n" for item in items) + "]"


__all__ = ["KINDS", "as_pytest", "export"]
