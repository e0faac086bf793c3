"""The agent: a name, a model, tools and a `decide`; and the ways to walk the loop with them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..catalogue import text as catalogue_text
from ..old_names import old_names
from .action import Action, Ask, Call, Model, Request
from .asking import SETTINGS, awith_settings, settings_of, with_settings
from .budgets import share
from .compaction import Policy, compact
from .config import Config
from .contexts import with_context
from .delegation import delegate
from .exceptions import AgentException, ConfigException
from .keeping import Keeping
from .limits import Tally, limit, not_run
from .llm import HelloAgentsLLM, model_of
from .loop import Actor, Loop, adrive, drive
from .message import Message, ToolCall
from .opaque import OwnRun, apart, closed, in_a_thread, recorded, runs_itself, whole
from .permitting import ALLOW, Ruling, permit
from .run import (
    Entry,
    Event,
    Judged,
    Limits,
    Noted,
    Returned,
    Run,
    Spawned,
    Stopped,
    Told,
    evolve,
    frame_of,
    settle_all,
)

if TYPE_CHECKING:
    from ..context.history import HistoryManager
    from ..tools.builtin.task_tool import TaskTool
    from ..tools.permissions import Policy as Permissions
    from ..tools.registry import ToolRegistry
    from ..tools.tool_filter import ToolFilter
    from .agent_history import AgentHistory
    from .contexts import Builder
    from .debugger import Debugger
    from .lifecycle import EventType, LifecycleHook
    from .streaming import StreamBuffer, StreamEvent

Placed = tuple[str, Event]
"""An event and the frame it belongs to."""

OLD_MAX_STEPS = "max_tool_iterations"
"""What `max_steps` is called in the tutorial's framework."""

_LIMITS = ("max_steps", "max_tokens", "max_repeats", "max_total_steps", "max_seconds", "max_cost")


class Waiting(AgentException):
    """A call needs a person's approval before the run goes on. Judge it, then `agent.resume(Judged(...))`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        """The run as it waits."""
        calls = (call for _, one in run.frames for call in one.pending if call.id not in one.children)
        names = ", ".join(sorted({call.name for call in calls}))
        super().__init__(
            f"The run waits for approval of {names}. Pass `Judged(call_id, allowed)` to `agent.resume`."
            if names
            else f"Nothing was asked that {run.agent!r} could go on with. Ask a question with `agent.run`."
        )


class Agent(Keeping):
    """A name, a model, tools and a `decide`. Constructing one touches no disk and no network.

    A subclass overrides `decide`, and has `run`, `arun`, streaming and stepping from here.
    """

    kind: ClassVar[str] = "Agent"
    """The pattern, in a word."""
    opaque: bool = False
    """Decides nothing but to answer by its own `run`."""

    def __init__(
        self,
        name: str,
        llm: Model,
        system_prompt: str | None = None,
        config: Config | None = None,
        tool_registry: ToolRegistry | None = None,
        *,
        max_steps: int | None = None,
        context_builder: Builder | None = None,
        permissions: Permissions | None = None,
    ) -> None:
        """`context_builder`: builds what the model is told with each question, for the whole conversation so far."""
        self.name = name
        self.llm = llm
        self.system_prompt = system_prompt
        self.config = config or Config()
        self.tool_registry = tool_registry
        self.max_steps = max_steps if self.config.max_steps is None else self.config.max_steps
        self.context_builder = context_builder
        self.members: dict[str, Agent] = {}
        """The agents that decide for child runs, by name. One named `summarizer` writes summaries, where wanted."""
        self.permissions = permissions if permissions is not None else _configured(self.config)
        """Which calls run, which a person must agree to, and which are refused. `None`: the tools themselves say."""
        self._policy: Policy | None = None
        self._tally = Tally()
        self._actors: dict[str, Actor] = {}
        self._below: dict[str, tuple[Agent, Permissions, Agent]] = {}
        self._patterns: dict[str, Agent] = {}
        self.state = Run(name)
        """The conversation so far, as a value. Assign an older or loaded run to go on from there."""
        self.journal: list[Entry] = []
        """What happened to `state` since this agent was made, oldest first."""
        self.sink: Callable[[Entry, Run], None] | None = None
        """Where each entry is written before anybody is told of it; a `JournalFile`, say. One that cannot write stops
        the run, which stays as it is in `state` and goes on with `resume()`."""
        self.subscribers: list[Callable[[Entry, Run], None]] = []
        """Told of each entry after it is in the journal. An error of theirs is noted and does not end the run."""
        if self.config.trace_dir is not None:
            _ = self.trace_logger
        if self.config.debug:
            from .stream import log_entries

            self.subscribers.append(log_entries(self.config.log_level))

    # -- deciding ---------------------------------------------------------------------------------

    def decide(self, run: Run) -> Action:
        """What to do next in this run. Pure: equal runs give equal actions."""
        raise NotImplementedError(
            f"{type(self).__name__} has no `decide`. Write one that returns an action for a run, or override `run`."
        )

    def act(self, run: Run) -> Action:
        """What `decide` wants, within the limits of the run, and of what the model can take."""
        decided = whole(run) if self.opaque else self.decide(run)
        if isinstance(decided, Call):
            decided = self._delegate(run, self._permit(run, decided))
        elif self.context_builder is not None and isinstance(decided, Ask) and not self.opaque:
            decided = with_context(run, decided, self.context_builder)
        action = limit(run, decided, self.config.language, self._tally)
        if isinstance(action, Ask):
            # A question that is closed by a limit is not asked, so that nothing has to be made shorter for it.
            action = compact(run, action, self.policy)
        return share(run, action) if isinstance(action, Spawned) else action

    @property
    def policy(self) -> Policy:
        """When the conversation is made shorter, and how; after `config`."""
        policy = self._policy
        if policy is None or policy.config is not self.config:
            policy = self._policy = Policy(self.config, self.llm.model if isinstance(self.llm, HelloAgentsLLM) else "")
        return policy

    def request(self, run: Run) -> Request:
        """The conversation and the tools, as the model is asked."""
        schemas = self.tools(run).schemas() if self._plain_schemas else tuple(self._build_tool_schemas())
        return Request(run.messages, schemas, at=("", run.steps))

    def asks(self, call: ToolCall) -> bool:
        """Whether a person has to approve this call."""
        return self.tools(self.state).asks(call)

    def system_text(self) -> str | None:
        """The system prompt as it is sent."""
        return self.system_prompt

    def own_parts(self) -> bool:
        """Whether a part of the pattern was replaced by one that `decide` cannot look into, so that `run` asks it."""
        return False

    # -- what the loop asks of an agent -----------------------------------------------------------

    @property
    def language(self) -> str:
        return self.config.language

    @property
    def max_parallel(self) -> int:
        return self.config.max_concurrent_tools if self.config.async_enabled else 1

    @property
    def reply_timeout(self) -> float | None:
        """Seconds a reply may take where the loop awaits."""
        return self.config.llm_async_timeout

    @cached_property
    def stream_buffer(self) -> StreamBuffer:
        """The latest stream events."""
        from .streaming import StreamBuffer

        return StreamBuffer(self.config.stream_buffer_size)

    def model(self, deltas: bool) -> Model:
        """The model to ask. Without anybody to see the pieces, a whole reply is asked for."""
        if self.opaque:
            return OwnRun(self)
        llm = self.llm
        if isinstance(llm, HelloAgentsLLM):
            return llm if deltas else llm.whole
        return model_of(llm)

    def member(self, run: Run, frame: str = "") -> Agent:
        """The agent that decides for a child run: one of the `members`, or one that is made when it is needed."""
        if run.agent == "summarizer" and run.agent not in self.members:
            from ..context.summarizer import summarizer_for

            self.members[run.agent] = summarizer_for(self)
        if run.agent not in self.members:
            for tool in self.tools(self.state).get_all_tools():
                if tool.spawns:
                    # One for each child run: what its tools remember, a list of things to do, say, is its own.
                    return closed(self._bound(self._new_sub_agent(cast("TaskTool", tool), run.agent), ""))
            raise AgentException(
                f"{self.name!r} has no member {run.agent!r} for this child run. Put it into `members` first."
            )
        return closed(self._bound(self.members[run.agent], run.agent))

    # -- running ----------------------------------------------------------------------------------

    def run(self, input_text: str, **kwargs: Any) -> str:
        """Answers, remembering what was said before.

        `max_steps`, `max_tokens`, `max_repeats`, `max_total_steps`, `max_seconds` and `max_cost` override the agent's
        limits for this call; `temperature`, `top_p`, `seed` and their like go into its requests. Raises `Waiting` when
        a call needs approval, a typed `LLMException` when the model fails; what happened until then stays in `state`,
        and `resume()` goes on from it.
        """
        for _ in self._walk(self._opening(input_text, kwargs), settings=settings_of(kwargs)):
            pass
        return self._answer()

    def resume(self, *events: Event) -> str:
        """Goes on with a run that was broken off or waits, after recording these events (a `Judged`, say)."""
        self._catch_up()
        for _ in self._walk(self._reopening(events)):
            pass
        return self._answer()

    def stop(self, reason: str = "stopped") -> Run:
        """Closes the question as it stands: lost calls and those not begun are answered so, child runs stop.

        Returns the run after it. A run that has ended stays as it is.
        """
        if self.state.outcome is None and self.state.turn:
            loop = self._recorder()
            for frame, event in settle_all(self.state, self.language):
                loop.record(frame, event)
            for frame, event in list(self._superseded(self.state, "call.stopped", reason)):
                loop.record(frame, event)
            loop.record("", Stopped(reason))
        return self.state

    def walk(self, text: str | None = None, **kwargs: Any) -> Iterator[tuple[Entry, Run]]:
        """`run` as an iterator over what happens: each entry of the journal, with the run after it."""
        if text is not None and runs_itself(self):
            yield from recorded(self, partial(self.run, text, **kwargs))
        else:
            yield from self._walk(self._opening(text, kwargs), settings=settings_of(kwargs))

    def stream_run(self, input_text: str, **kwargs: Any) -> Iterator[str]:
        """The text of the model's replies, piece by piece; an answer given through a tool comes last, whole."""
        from .stream import Texts

        if runs_itself(self):
            yield self.run(input_text, **kwargs)
            return
        texts = Texts()
        for entry, _ in self._walk(self._opening(input_text, kwargs), True, settings_of(kwargs)):
            yield from texts.of(entry.event)

    async def arun(
        self,
        input_text: str,
        on_start: LifecycleHook = None,
        on_step: LifecycleHook = None,
        on_finish: LifecycleHook = None,
        on_error: LifecycleHook = None,
        on_tool_call: LifecycleHook = None,
        **kwargs: Any,
    ) -> str:
        """`run`, awaiting: independent calls run side by side, and cancelling the task stops the run."""
        hooks = {"start": on_start, "step": on_step, "finish": on_finish, "error": on_error, "tool_call": on_tool_call}
        answer = ""
        async for event in self._astream(input_text, hooks, kwargs, deltas=False):
            answer = event.data.get("result", "")
        return answer

    async def awalk(
        self, text: str | None = None, *, events: Sequence[Event] = (), deltas: bool = False, **kwargs: Any
    ) -> AsyncGenerator[tuple[Entry, Run], None]:
        """`walk`, awaiting. With `events`, `resume(*events)`; with `deltas`, pieces of replies come as entries -1."""
        if text is not None and runs_itself(self) and not self.opaque:
            async for told in in_a_thread(self, partial(self.run, text, **kwargs)):
                if not isinstance(told, str):
                    yield told
            return
        opening = self._reopening(events) if events else self._opening(text, kwargs)
        async for record in self._awalk(self._loop(deltas), opening, settings_of(kwargs)):
            yield record

    async def arun_stream(
        self,
        input_text: str,
        on_start: LifecycleHook = None,
        on_finish: LifecycleHook = None,
        on_error: LifecycleHook = None,
        on_step: LifecycleHook = None,
        on_tool_call: LifecycleHook = None,
        **kwargs: Any,
    ) -> AsyncIterator[StreamEvent]:
        """The run as it happens: text, thinking, steps and calls. `StreamEvent.event` is the core's event."""
        hooks = {"start": on_start, "step": on_step, "finish": on_finish, "error": on_error, "tool_call": on_tool_call}
        from .stream import is_wanted

        async for event in self._astream(input_text, hooks, kwargs, deltas=self.config.stream_enabled):
            if is_wanted(event, self.config):
                self.stream_buffer.add(event)
                yield event

    def steps(self, text: str | None = None, *, run: Run | None = None, **kwargs: Any) -> Debugger:
        """A debugger on a question, on a run, or on what this agent has done so far. `state` is left alone."""
        from .debugger import Debugger

        for name in settings_of(kwargs):
            raise TypeError(f"steps() has no argument {name!r}. Settings of the model go to `HelloAgentsLLM`.")
        if text is None and run is None and self.journal:
            return Debugger(closed(self), self._start, self.journal)
        start = self.state if run is None else run
        opening = self._opening(text, kwargs, run) if text is not None else settle_all(start, self.language)
        return Debugger(closed(self), start, opening=opening)

    def run_as_subagent(
        self,
        task: str,
        tool_filter: ToolFilter | None = None,
        return_summary: bool = True,
        max_steps_override: int | None = None,
    ) -> dict[str, Any]:
        """Answers in a conversation of its own, with the tools that the filter allows; `state` stays as it is.

        Gives `success`, `metadata` (steps, tokens, tools, why it ended) and the answer: as `summary`, or as `result`
        without `return_summary`. A failure is in `error`, not raised.
        """
        from ..tools.builtin.task_tool import summary_of

        names = None if tool_filter is None else tuple(tool_filter.filter(self.tools(self.state).list_tools()))
        twin = apart(self, [])
        twin.tool_registry = None if self.tool_registry is None else self.tool_registry.apart()
        twin.state = replace(twin.state, limits=replace(self.state.limits, tools=names))
        told: dict[str, Any] = {}
        try:
            answer = twin.run(task, **({} if max_steps_override is None else {"max_steps": max_steps_override}))
        except Exception as error:
            answer, told["error"] = "", f"{type(error).__name__}: {error}"
        finished = not told and (twin.state.outcome is None or twin.state.outcome.reason == "finished")
        told |= {"success": finished, "metadata": summary_of(twin.state)}
        return told | {"summary" if return_summary else "result": answer}

    # -- the conversation so far ------------------------------------------------------------------

    @property
    def _history(self) -> list[Message]:
        from .agent_history import HistoryList

        return HistoryList(self)

    @_history.setter
    def _history(self, value: list[Message]) -> None:
        messages = list(value)
        self.clear_history()
        for message in messages:
            self.add_message(message)

    def add_message(self, message: Message) -> None:
        """Puts a message into the conversation by hand."""
        self.record(Told(message))

    def record(self, event: Event) -> Run:
        """Writes an event into the journal by hand, and returns the run after it."""
        return self._recorder().record("", event)[1]

    @property
    def history_manager(self) -> AgentHistory:
        """The conversation as the manager of the tutorial's framework."""
        from .agent_history import AgentHistory

        return AgentHistory(self)

    @history_manager.setter
    def history_manager(self, manager: HistoryManager) -> None:
        self.history_manager.take_over(manager)

    def get_history(self) -> list[Message]:
        """The conversation without the system message; of a long one, the last `max_history_length` messages."""
        said = [message for message in self.state.messages if message.role != "system"]
        return said[-self.config.max_history_length :]

    def clear_history(self) -> None:
        """Starts over. The journal starts over, too."""
        self.state = self._start = Run(self.name)
        self.journal = []

    def __str__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    def __repr__(self) -> str:
        return str(self)

    # -- inside -----------------------------------------------------------------------------------

    def _task_tool(self, name: str) -> TaskTool:
        """The spawning tool of this name."""
        return cast("TaskTool", self.tools(self.state).get_tool(name))

    def _start_child(self, tool: TaskTool, call: ToolCall, run: Run) -> Run:
        """The start of the child run for a call of a spawning tool."""
        agent = self._sub_agent(tool, str(call.arguments.get("agent_type") or "react"))
        return tool.child(call, agent, self.tools(run).list_tools(), run)

    def _sub_agent(self, tool: TaskTool, pattern: str) -> Agent:
        """The sub-agent of this pattern, as far as the start of a child run asks for it: its prompt and its limits."""
        if pattern in self.members:
            return self.members[pattern]
        if pattern not in self._patterns:
            self._patterns[pattern] = self._new_sub_agent(tool, pattern)
        return self._patterns[pattern]

    def _new_sub_agent(self, tool: TaskTool, pattern: str) -> Agent:
        """A sub-agent of this pattern. What the parent's tools remember stays the parent's."""
        agent = tool.agent_factory(pattern)
        registry = agent.tool_registry or self.tool_registry
        agent.tool_registry = None if registry is None else registry.apart()
        return agent

    def _bound(self, agent: Agent, name: str) -> Agent:
        """The agent under this one's policy; one with a name is made once, so that its tools go on remembering."""
        if self.permissions is None:
            return agent
        known = self._below.get(name)
        if known is not None and known[0] is agent and known[1] is self.permissions:
            return known[2]
        twin = copy(agent)
        twin.permissions = self.permissions if agent.permissions is None else agent.permissions.under(self.permissions)
        twin._actors, twin._below = {}, {}
        if name:
            self._below[name] = (agent, self.permissions, twin)
        return twin

    def _permit(self, run: Run, decided: Call) -> Action:
        """The calls, as far as the agent's policy lets them run."""
        policy = self.permissions
        if policy is None:
            return decided
        tools, language = self.tools(run), self.config.language
        return permit(
            run, decided.calls, lambda call: policy.ruling(call, tools.get_tool(call.name), language), language
        )

    def _delegate(self, run: Run, action: Action) -> Action:
        """The action, with calls of spawning tools taken out of it."""
        spawning = self.tools(run).spawning()
        return delegate(run, action, spawning, self._task_tool, self._start_child) if spawning else action

    def ruling(self, run: Run, call: ToolCall) -> Ruling:
        """What the agent's policy says of a call in this run, and why; it lets all run where there is none."""
        if self.permissions is None:
            return ALLOW
        return self.permissions.ruling(call, self.tools(run).get_tool(call.name), self.config.language)

    def _follow(self, subscriber: Callable[[Entry, Run], None]) -> None:
        run = self._start
        for entry in self.journal:
            run = evolve(run, entry.event, entry.frame)
            subscriber(entry, run)
        self.subscribers.append(subscriber)

    def _limits(self, kwargs: Mapping[str, Any]) -> Limits:
        for name in kwargs:
            if name not in _LIMITS and name not in SETTINGS and name != OLD_MAX_STEPS:
                from difflib import get_close_matches

                near = get_close_matches(name, _LIMITS, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else "Other settings of the model go to `HelloAgentsLLM`."
                raise TypeError(f"run() has no argument {name!r}; it takes {', '.join(_LIMITS)}. {hint}")
        config, old = self.config, kwargs.get(OLD_MAX_STEPS)
        max_cost = kwargs.get("max_cost", config.max_total_cost)
        if max_cost is not None and not config.prices:
            raise ConfigException(
                f"max_cost={max_cost!r} needs prices to count by. Give a `Config(prices={{model: (in, out)}})`."
            )
        return replace(
            self.state.limits,
            max_steps=kwargs.get("max_steps", self.max_steps if old is None else old),
            max_total_steps=kwargs.get("max_total_steps", config.max_total_steps),
            max_seconds=kwargs.get("max_seconds", config.max_total_seconds),
            max_cost=max_cost,
            prices=config.prices or None,
            max_tokens=kwargs.get("max_tokens", self.config.max_total_tokens),
            max_repeats=kwargs.get("max_repeats", self.config.max_repeated_calls),
            max_calls_per_tool=self.config.max_iterations_per_tool,
            max_failures=self.config.degrade_after_failures,
        )

    def _opening(self, text: str | None, kwargs: Mapping[str, Any], run: Run | None = None) -> list[Placed]:
        """The events that come before the first decision: lost calls, the system prompt, the question."""
        state = self.state if run is None else run
        opening = settle_all(state, self.language)
        if text is None:
            return opening
        for frame, event in opening:
            state = evolve(state, event, frame)
        opening += self._superseded(state)
        if run is None:
            self._actors = {}
        system = self.system_text()
        first = state.messages[0] if state.messages else None
        if system and not (first and first.role == "system" and first.content == system):
            opening.append(("", Told(Message(system, "system"))))
        opening.append(("", Told(Message(text, "user"), self._limits(kwargs))))
        return opening

    def _reopening(self, events: Sequence[Event]) -> list[Placed]:
        """The events that a run which was broken off goes on with, and what settles its lost calls."""
        opening: list[Placed] = []
        state = self.state
        for event in events:
            frame = _frame_for(state, event)
            state = evolve(state, event, frame)
            opening.append((frame, event))
        return [*opening, *settle_all(state, self.language)]

    def _superseded(self, run: Run, why: str = "call.superseded", reason: str = "superseded") -> Iterator[Placed]:
        """A new question closes what was left open: calls are answered as not run, child runs stop."""
        why = catalogue_text(why, self.language)
        for frame, one in run.frames:
            if one.outcome is None:
                for call in one.pending:
                    yield frame, Returned(not_run(call, why, "NOT_RUN"))
                if frame:
                    yield frame, Stopped(reason)

    def _recorder(self) -> Loop:
        """What writes by hand: the walk under way, so that it knows of it, else a loop that is not walked."""
        walking = self._walking
        return walking if walking is not None and walking.run is self._state else self._loop(False)

    def _loop(self, deltas: bool) -> Loop:
        last = self._state

        def sink(entry: Entry, run: Run) -> None:
            nonlocal last
            if self._state is not last:
                raise AgentException(
                    f"The conversation of {self.name!r} went on elsewhere while this run was under way. "
                    "Ask one question after the other, or give each conversation an agent of its own."
                )
            self.journal.append(entry)
            self._state = last = run
            if self.sink is not None:
                self.sink(entry, run)
            elif self.config.auto_save_enabled:
                self._auto_save(entry, run)
            for subscriber in self.subscribers:
                try:
                    subscriber(entry, run)
                except Exception as error:
                    if not (isinstance(entry.event, Noted) and entry.event.key == "subscriber_error"):
                        note = {"type": type(error).__name__, "message": str(error), "seq": entry.seq}
                        loop.record("", Noted("subscriber_error", note))

        seq = self.journal[-1].seq + 1 if self.journal else 0
        loop = Loop(self, self._state, seq=seq, deltas=deltas, sink=sink, actors=self._actors)
        return loop

    def _walk(
        self, opening: list[Placed], deltas: bool = False, settings: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[Entry, Run]]:
        loop = self._walking = self._loop(deltas)
        try:
            for frame, event in opening:
                yield loop.record(frame, event)
            yield from with_settings(drive(loop), settings) if settings else drive(loop)
        finally:
            self._walked(loop)

    async def _awalk(
        self, loop: Loop, opening: list[Placed], settings: Mapping[str, Any]
    ) -> AsyncIterator[tuple[Entry, Run]]:
        self._walking = loop
        try:
            for frame, event in opening:
                yield loop.record(frame, event)
            async for record in awith_settings(adrive(loop), settings) if settings else adrive(loop):
                yield record
        finally:
            self._walked(loop)

    def _walked(self, loop: Loop) -> None:
        if self._walking is loop:
            self._walking = None

    async def _astream(
        self, text: str, hooks: Mapping[str, LifecycleHook], kwargs: Mapping[str, Any], deltas: bool
    ) -> AsyncIterator[StreamEvent]:
        from .lifecycle import AgentEvent, EventType
        from .stream import Stream, call_hook

        stream = Stream(self.name, text)
        timeout = self.config.hook_timeout_seconds
        faults: list[Noted] = []

        async def tell(hook: str, kind: EventType, **data: Any) -> None:
            fault = await call_hook(hooks.get(hook), AgentEvent.create(kind, self.name, **data), timeout)
            if fault is not None:
                record(Noted("hook_error", fault))

        if own := runs_itself(self):
            # Its own `run` records meanwhile, in its thread: what is to be noted waits until it has ended.
            records, record = in_a_thread(self, partial(self.run, text, **kwargs)), faults.append
        else:
            opening = self._opening(text, kwargs)
            loop = self._walking = self._loop(deltas)
            records, record = self._awalk(loop, opening, settings_of(kwargs)), self.record
        answer: str | None = None
        await tell("start", EventType.AGENT_START, input_text=text)
        yield stream.started()
        try:
            async for told in records:
                if isinstance(told, str):
                    answer = told
                    continue
                entry, run = told
                for hook, kind, data in stream.hooks_of(entry, run):
                    await tell(hook, kind, **data)
                for event in stream.of(entry, run):
                    yield event
        except Exception as error:
            await tell("error", EventType.AGENT_ERROR, error=str(error), error_type=type(error).__name__)
            yield stream.failed(error)
            raise
        finally:
            for fault in faults:
                self.record(fault)
        if own:
            record = self.record
            yield stream.whole(answer or "")
        else:
            answer = self._answer()
        await tell("finish", EventType.AGENT_FINISH, result=answer or "")
        yield stream.finished(self.state, answer or "")

    def _answer(self) -> str:
        if self.state.outcome is None:
            raise Waiting(self.state)
        return self.state.answer or ""


def _configured(config: Config) -> Permissions | None:
    """The policy that the settings describe."""
    if config.permissions is None:
        return None
    from ..tools.permissions import Policy

    return Policy.from_data(config.permissions)


def _frame_for(run: Run, event: Event) -> str:
    """Where an event belongs that somebody passes in: a verdict or a result belongs to its call's frame."""
    match event:
        case Judged(call_id):
            frame = frame_of(run, call_id)
        case Returned(message):
            frame = frame_of(run, message.answers or "")
        case _:
            return ""
    if frame is None:
        waiting = [call.id for _, one in run.frames for call in one.pending]
        raise AgentException(f"{event!r} speaks of a call that does not wait here. Waiting are {waiting}.")
    return frame


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, "AgentEvent", "EventType", "ExecutionContext")
