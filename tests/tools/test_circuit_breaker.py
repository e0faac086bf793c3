"""The circuit breaker: alone, against a model of it, and in the one executor path of a registry."""

import asyncio
import threading
import time

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from support.examples import examples

from hello_agents import ReActAgent, SimpleAgent
from hello_agents.core.message import ToolCall
from hello_agents.offline import ScriptedLLM
from hello_agents.tools import CircuitBreaker, Tool, ToolRegistry, ToolResponse
from hello_agents.tools.circuit_breaker import BLAMELESS

GOOD = ToolResponse.success("fine")
PART = ToolResponse.partial("half")
BAD = ToolResponse.error("EXECUTION_ERROR", "broken")


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def breaker(clock):
    return CircuitBreaker(failure_threshold=3, recovery_timeout=60, clock=clock)


def call(breaker, response, tool="t"):
    admission = breaker.admit(tool)
    breaker.settle(admission, response)
    return admission.admitted


def trip(breaker, tool="t"):
    for _ in range(breaker.failure_threshold):
        assert call(breaker, BAD, tool)


def state(breaker, tool="t"):
    return breaker.get_status(tool)["state"]


# --- alone -------------------------------------------------------------------------------------------------------


def test_it_opens_at_the_threshold_and_closes_after_a_good_probe(breaker, clock):
    trip(breaker)
    assert breaker.get_status("t") == {"state": "open", "failure_count": 3, "seconds_left": 60.0}
    assert not breaker.admit("t").admitted
    clock.now += 59.5
    assert breaker.admit("t").seconds == 0.5
    clock.now += 0.5
    assert state(breaker) == "half_open"
    assert call(breaker, GOOD)
    assert breaker.get_status("t") == {"state": "closed", "failure_count": 0}


def test_only_failures_in_a_row_count(breaker):
    for response in (BAD, BAD, GOOD, BAD, BAD, PART, BAD, BAD):
        assert call(breaker, response)
    assert state(breaker) == "closed"
    call(breaker, BAD)
    assert state(breaker) == "open"


def test_a_failed_probe_opens_it_again_for_the_whole_time(breaker, clock):
    trip(breaker)
    for _ in range(5):
        clock.now += 60
        assert call(breaker, BAD)
        assert breaker.admit("t").seconds == 60
    clock.now += 60
    assert call(breaker, GOOD)
    assert [call(breaker, GOOD) for _ in range(3)] == [True] * 3


@pytest.mark.parametrize("code", sorted(BLAMELESS))
def test_bad_arguments_count_neither_way(breaker, clock, code):
    blameless = ToolResponse.error(code, "no")
    for _ in range(10):
        assert call(breaker, blameless)
    call(breaker, BAD)
    call(breaker, BAD)
    call(breaker, blameless)
    call(breaker, BAD)
    assert state(breaker) == "open", "nor do they wipe out the failures before them"
    clock.now += 60
    assert call(breaker, blameless)
    assert state(breaker) == "half_open"
    assert call(breaker, GOOD), "the probe has made room for another"
    assert state(breaker) == "closed"


def test_one_probe_at_a_time(breaker, clock):
    trip(breaker)
    clock.now += 60
    probe = breaker.admit("t")
    assert probe.admitted
    assert not breaker.admit("t").admitted
    clock.now += 10_000
    refused = breaker.admit("t")
    assert (refused.admitted, refused.seconds) == (False, None)
    assert breaker.is_open("t")
    breaker.settle(probe, None)
    assert not breaker.is_open("t")
    assert breaker.admit("t").admitted


@pytest.mark.parametrize("late", [GOOD, BAD])
def test_a_late_result_says_nothing_about_a_later_state(breaker, clock, late):
    before = breaker.admit("t")
    trip(breaker)
    breaker.settle(before, late)
    assert breaker.get_status("t") == {"state": "open", "failure_count": 3, "seconds_left": 60.0}
    clock.now += 60
    breaker.settle(before, late)
    assert state(breaker) == "half_open"
    probe = breaker.admit("t")
    breaker.settle(before, late)
    assert state(breaker) == "half_open"
    breaker.settle(probe, GOOD)
    breaker.settle(before, late)
    assert breaker.get_status("t") == {"state": "closed", "failure_count": 0}
    breaker.open("t")
    breaker.settle(probe, GOOD)
    assert state(breaker) == "open"


def test_tools_do_not_share_a_circuit(breaker):
    trip(breaker, "a")
    assert call(breaker, GOOD, "b")
    assert {name: status["state"] for name, status in breaker.get_all_status().items()} == {"a": "open", "b": "closed"}
    assert breaker.get_status("never called") == {"state": "closed", "failure_count": 0}
    assert "never called" not in breaker.get_all_status()


def test_by_hand(breaker, clock):
    breaker.open("t")
    assert breaker.is_open("t")
    breaker.close("t")
    assert not breaker.is_open("t")
    for _ in range(3):
        assert not breaker.is_open("t")
        breaker.record_result("t", BAD)
    assert breaker.is_open("t")
    breaker.record_result("t", GOOD)
    assert breaker.is_open("t"), "a result that comes while the tool is off began before"
    clock.now += 60
    assert [breaker.is_open("t") for _ in range(3)] == [False] * 3, "looking takes no probe away"
    breaker.record_result("t", BAD)
    assert breaker.get_status("t")["seconds_left"] == 60
    clock.now += 60
    breaker.record_result("t", GOOD)
    assert state(breaker) == "closed"


def test_switched_off_it_lets_everything_through(clock):
    breaker = CircuitBreaker(1, 60, enabled=False, clock=clock)
    for _ in range(5):
        assert call(breaker, BAD)
        breaker.record_result("t", BAD)
    assert not breaker.is_open("t")
    assert breaker.get_all_status() == {}


@pytest.mark.parametrize("numbers", [(0, 1), (-1, 1), (1, -1), (1, float("nan")), (1, float("inf"))])
def test_numbers_that_make_no_sense(numbers):
    with pytest.raises(ValueError, match=r"failure_threshold|recovery_timeout"):
        CircuitBreaker(*numbers)


class Against(RuleBasedStateMachine):
    """The breaker beside a model that is written as a list of what happened."""

    calls = Bundle("calls")

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.breaker = CircuitBreaker(2, 10, clock=self.clock)
        self.state, self.failures, self.until = "closed", 0, 0.0
        self.probe = None
        self.begun = 0
        self.current = set()  # The calls whose outcome counts.

    def shown(self):
        return "half_open" if self.state == "open" and self.clock.now >= self.until else self.state

    def change(self, state):
        self.state, self.probe, self.current = state, None, set()
        if state == "open":
            self.until = self.clock.now + 10
        else:
            self.failures = 0

    @rule(target=calls)
    def begin(self):
        admission = self.breaker.admit("t")
        shown = self.shown()
        assert admission.admitted == (shown == "closed" or (shown == "half_open" and self.probe is None))
        self.begun += 1
        if admission.admitted:
            if shown == "half_open":
                self.probe = self.begun
                self.current = set()
            self.current.add(self.begun)
        return self.begun, admission

    @rule(call=consumes(calls), response=st.sampled_from([GOOD, PART, BAD, None, ToolResponse.error("REFUSED", "")]))
    def end(self, call, response):
        number, admission = call
        self.breaker.settle(admission, response)
        if number not in self.current:
            return
        self.current.discard(number)
        if response is None or response.code == "REFUSED":
            self.probe = None
        elif response is not BAD:
            if self.probe is not None:
                self.change("closed")
            self.failures = 0
        else:
            self.failures += 1
            if self.probe is not None or self.failures >= 2:
                self.change("open")

    @rule(seconds=st.sampled_from([1, 5, 9.5, 10, 25]))
    def wait(self, seconds):
        self.clock.now += seconds

    @rule(to=st.sampled_from(["open", "closed"]))
    def switch(self, to):
        self.breaker.open("t") if to == "open" else self.breaker.close("t")
        self.change(to)

    @invariant()
    def they_agree(self):
        status = self.breaker.get_status("t")
        assert status["state"] == self.shown()
        assert status["failure_count"] == self.failures
        assert self.breaker.is_open("t") == (
            self.shown() == "open" or (self.shown() == "half_open" and self.probe is not None)
        )


Against.TestCase.settings = settings(max_examples=examples(60), stateful_step_count=40, deadline=None)
TestAgainstTheModel = Against.TestCase


def test_threads_that_meet_a_half_open_circuit(breaker, clock):
    for round_ in range(20):
        breaker.close("t")
        trip(breaker)
        clock.now += 60
        admissions = []
        gate = threading.Barrier(8)

        def meet(gate=gate, admissions=admissions):
            gate.wait()
            admissions.append(breaker.admit("t"))

        threads = [threading.Thread(target=meet) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (probe,) = [admission for admission in admissions if admission.admitted]
        breaker.settle(probe, GOOD if round_ % 2 else BAD)
        assert state(breaker) == ("closed" if round_ % 2 else "open")


# --- in a registry -----------------------------------------------------------------------------------------------


class Flaky(Tool):
    def __init__(self):
        super().__init__("flaky", "Fails when told to.")
        self.fails = True
        self.ran = 0

    def run(self, parameters):
        self.ran += 1
        if self.fails:
            raise RuntimeError("broken")
        return "fine"


def ask(registry, driver, name="flaky", language="en", **arguments):
    message = ToolCall("c7", name, arguments)
    match driver:
        case "sync":
            return registry.answer(message, language)
        case "async":
            return asyncio.run(registry.aanswer(message, language))


@pytest.fixture
def flaky():
    return Flaky()


@pytest.fixture
def registry(breaker, flaky):
    registry = ToolRegistry(circuit_breaker=breaker)
    registry.register_tool(flaky)
    return registry


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_the_model_is_told_that_the_tool_is_off_and_for_how_long(registry, flaky, clock, driver):
    view = registry.view(allow=["flaky"]).view()
    for _ in range(3):
        assert ask(view, driver).metadata["code"] == "EXECUTION_ERROR"
    clock.now += 17.5
    refused = ask(registry, driver)
    assert refused.content == (
        "❌ Error [CIRCUIT_OPEN]: flaky has failed too often and is switched off for another 43 s. Go on without it."
    )
    assert refused.answers == "c7"
    assert "43 秒" in ask(view, driver, language="zh").content
    assert flaky.ran == 3
    clock.now += 50
    flaky.fails = False
    assert ask(view, driver).content == "fine"
    assert ask(registry, driver).content == "fine"


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_bad_arguments_and_unknown_tools_do_not_open_it(registry, flaky, driver):
    for _ in range(5):
        assert ask(registry, driver, nonsense=1).metadata["code"] == "INVALID_PARAM"
        assert ask(registry, driver, name="fluky").metadata["code"] == "NOT_FOUND"
    assert ask(registry, driver).metadata["code"] == "EXECUTION_ERROR"
    assert registry.circuit_breaker.get_all_status()["flaky"]["failure_count"] == 1
    assert "fluky" not in registry.circuit_breaker.get_all_status()


def test_execute_tool_goes_through_it_too(registry, flaky):
    codes = [registry.execute_tool("flaky").code for _ in range(4)]
    codes.append(asyncio.run(registry.aexecute_tool("flaky", "{}")).code)
    assert codes == ["EXECUTION_ERROR"] * 3 + ["CIRCUIT_OPEN"] * 2


def test_a_probe_that_is_broken_off_makes_room(registry, flaky, breaker, clock):
    def interrupted(parameters):
        raise KeyboardInterrupt

    breaker.open("flaky")
    clock.now += 60
    flaky.run = interrupted
    with pytest.raises(KeyboardInterrupt):
        ask(registry, "sync")
    del flaky.run
    flaky.fails = False
    assert ask(registry, "sync").content == "fine"


async def test_a_probe_whose_task_is_cancelled_makes_room(registry, breaker, clock):
    started = asyncio.Event()

    async def slow():
        started.set()
        await asyncio.sleep(60)

    registry.register_function(slow)
    breaker.open("slow")
    clock.now += 60
    task = asyncio.create_task(registry.aanswer(ToolCall("1", "slow", {})))
    await started.wait()
    assert (await registry.aanswer(ToolCall("2", "slow", {}))).content == (
        "❌ Error [CIRCUIT_OPEN]: slow has failed too often and is switched off for now. Go on without it."
    )
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not breaker.is_open("slow")


async def test_calls_at_the_same_time_credit_the_state_that_let_them_in(registry, breaker, clock):
    """Five calls run side by side; three fail, the tool is off, and the late success does not switch it on."""
    gates = [asyncio.Event() for _ in range(5)]

    async def work(number: int) -> str:
        await gates[number].wait()
        if number < 3:
            raise RuntimeError("broken")
        return "late"

    registry.register_function(work)
    tasks = [asyncio.create_task(registry.aanswer(ToolCall(str(n), "work", {"number": n}))) for n in range(5)]
    for gate, task in zip(gates, tasks, strict=True):
        gate.set()
        await task
    assert state(breaker, "work") == "open"
    clock.now += 60
    assert state(breaker, "work") == "half_open"


def test_a_timed_out_tool_counts_as_failed(breaker):
    def sleeps() -> None:
        time.sleep(0.2)

    registry = ToolRegistry(circuit_breaker=breaker)
    registry.register_function(sleeps, timeout=0.001)
    codes = [ask(registry, "sync", "sleeps").metadata["code"] for _ in range(4)]
    assert codes == ["TIMEOUT"] * 3 + ["CIRCUIT_OPEN"]


@pytest.mark.parametrize("kind", [SimpleAgent, ReActAgent])
@pytest.mark.parametrize("driver", ["run", "arun", "stream_run", "steps"])
def test_in_every_agent_and_every_driver(breaker, kind, driver):
    def fails(number: int) -> str:
        raise RuntimeError("broken")

    registry = ToolRegistry(circuit_breaker=breaker)
    registry.register_function(fails)
    calls = [ToolCall(str(number), "fails", {"number": number}) for number in range(5)]
    agent = kind("a", ScriptedLLM(*calls, "done"), tool_registry=registry)
    agent.max_steps = 20
    match driver:
        case "run":
            agent.run("go")
            run = agent.state
        case "arun":
            asyncio.run(agent.arun("go"))
            run = agent.state
        case "stream_run":
            assert list(agent.stream_run("go"))
            run = agent.state
        case "steps":
            debugger = agent.steps("go")
            debugger.finish()
            run = debugger.run
    codes = [message.metadata["code"] for message in run.messages if message.answers is not None]
    assert codes == ["EXECUTION_ERROR"] * 3 + ["CIRCUIT_OPEN"] * 2
    assert run.answer == "done"
