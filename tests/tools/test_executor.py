"""One executor for functions and tools, in this thread or on a loop."""

import asyncio
import contextvars
import threading
import time
import warnings
from typing import Any

import pytest

from hello_agents.core.message import ToolCall
from hello_agents.tools import FunctionTool, Tool, ToolParameter, ToolRegistry, ToolResponse, ToolStatus, tool_action
from hello_agents.tools.executor import aexecute, execute

VARIABLE = contextvars.ContextVar("variable", default="unset")


def add(a: int, b: int = 1) -> int:
    """Adds."""
    return a + b


async def aadd(a: int, b: int = 1) -> int:
    """Adds, later."""
    await asyncio.sleep(0)
    return a + b


def later(a: int, b: int = 1):
    """A plain function that gives something to await."""
    return aadd(a, b)


class Adder(Tool):
    def __init__(self):
        super().__init__("adder", "Adds.")

    def get_parameters(self):
        return [ToolParameter("a", "integer", "A."), ToolParameter("b", "integer", "B.", False, 1)]


class Plain(Adder):
    def run(self, parameters):
        return parameters["a"] + parameters.get("b", 1)


class Awaiting(Adder):
    async def arun(self, parameters):
        return await aadd(parameters["a"], parameters.get("b", 1))


class AsyncRun(Adder):
    async def run(self, parameters):
        return await aadd(parameters["a"], parameters.get("b", 1))


class Bundle(Tool):
    def __init__(self):
        super().__init__("bundle", "Adds.", expandable=True)

    @tool_action("now")
    def _now(self, a: int, b: int = 1) -> int:
        """Adds now."""
        return a + b

    @tool_action("later")
    async def _later(self, a: int, b: int = 1) -> int:
        """Adds later."""
        return await aadd(a, b)


def tools():
    made = [FunctionTool(add), FunctionTool(aadd), FunctionTool(later), Plain(), Awaiting(), AsyncRun()]
    made += Bundle().get_expanded_tools()
    timed = [FunctionTool(add, timeout=30), FunctionTool(aadd, timeout=30), FunctionTool(later, timeout=30), Plain()]
    timed[-1].timeout = 30
    return made + timed


@pytest.fixture(params=range(len(tools())))
def tool(request):
    return tools()[request.param]


@pytest.mark.parametrize(("arguments", "result"), [({"a": 1, "b": 2}, "3"), ({"a": "4"}, "5")])
def test_every_kind_of_tool_answers_the_same(tool, arguments, result):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert execute(tool, arguments) == ToolResponse.success(result)
        assert asyncio.run(aexecute(tool, arguments)) == ToolResponse.success(result)


async def test_synchronous_code_inside_a_running_loop(tool):
    assert execute(tool, {"a": 1}).text == "2"
    assert execute(tool, {"a": 1}).text == "2", "the loop is still there the second time"


def test_the_methods_of_a_tool(tool):
    assert tool.run_with_timing({"a": 1}).text == "2"
    timed = asyncio.run(tool.arun_with_timing({"a": 1}))
    assert timed.text == "2"
    assert isinstance(timed.stats["time_ms"], int)
    assert timed.context == {"tool_name": tool.name, "parameters": {"a": 1}}


def test_arun_of_a_plain_tool_runs_it_in_a_thread():
    class Where(Adder):
        def run(self, parameters):
            return threading.current_thread().name, VARIABLE.get()

    async def ask():
        VARIABLE.set("mine")
        return await Where().arun({})

    name, variable = asyncio.run(ask())
    assert name != threading.current_thread().name
    assert variable == "mine"


def test_a_plain_tool_stays_in_this_thread():
    def where() -> str:
        return threading.current_thread().name

    assert execute(FunctionTool(where), {}).text == threading.current_thread().name
    assert execute(FunctionTool(where, timeout=30), {}).text != threading.current_thread().name


def reads() -> str:
    return VARIABLE.get()


async def areads() -> str:
    return VARIABLE.get()


@pytest.mark.parametrize("function", [reads, areads])
@pytest.mark.parametrize("timeout", [None, 30])
def test_context_variables_are_kept(function, timeout):
    token = VARIABLE.set("kept")
    try:
        tool = FunctionTool(function, timeout=timeout)
        assert execute(tool, {}).text == "kept"
        assert asyncio.run(aexecute(tool, {})).text == "kept"
    finally:
        VARIABLE.reset(token)


def test_asynchronous_calls_from_synchronous_code_share_a_loop():
    async def loop() -> int:
        return id(asyncio.get_running_loop())

    tool = FunctionTool(loop)
    assert execute(tool, {}).text == execute(tool, {}).text


def test_an_asynchronous_tool_whose_code_calls_an_asynchronous_tool_synchronously():
    async def outer(a: int) -> str:
        return execute(FunctionTool(aadd), {"a": a}).text

    assert execute(FunctionTool(outer), {"a": 1}).text == "2"
    assert asyncio.run(aexecute(FunctionTool(outer), {"a": 1})).text == "2"


class Boom(Exception):
    pass


def raiser(error):
    def raises():
        raise error

    async def araises():
        raise error

    return raises, araises


@pytest.mark.parametrize("error", [Boom("x"), StopIteration("x"), TimeoutError("x")], ids=type)
@pytest.mark.parametrize("timeout", [None, 30])
def test_exceptions_become_errors(error, timeout):
    for function in raiser(error):
        tool = FunctionTool(function, timeout=timeout)
        for response in (execute(tool, {}), asyncio.run(aexecute(tool, {}))):
            assert response.code == "EXECUTION_ERROR"
            assert type(error).__name__ in response.text
            assert "Traceback" not in response.text
            assert ".py" not in response.text


class Speechless(Exception):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


class Numb(Exception):
    def __str__(self):
        return 5


@pytest.mark.parametrize("error", [Speechless(), Numb(), StopIteration(3), StopAsyncIteration(3)], ids=type)
@pytest.mark.parametrize("timeout", [None, 30])
def test_odd_exceptions_are_told_of_the_same_everywhere(error, timeout):
    registry = ToolRegistry()
    registry.register_function(raiser(error)[0], "raises", timeout=timeout)
    call = ToolCall("1", "raises")
    told = registry.answer(call)
    assert told == asyncio.run(registry.aanswer(call))
    assert told.metadata["code"] == "EXECUTION_ERROR"
    assert f": {type(error).__name__}" in told.content


def test_a_value_without_words_is_named_by_its_type():
    class Mute:
        def __str__(self):
            raise Speechless

    assert execute(FunctionTool(lambda: [Mute()], "mute"), {}).text == '["<Mute>"]'


@pytest.mark.parametrize("timeout", [None, 30])
def test_a_function_that_yields_gives_all_of_it(timeout):
    def counts(n: int, /, step: int = 1):
        yield from range(0, n, step)

    async def acounts(n: int, /, step: int = 1):
        for number in range(0, n, step):
            yield number

    class Counter:
        def counts(self, n: int):
            yield from range(n)

    def fails(n: int):
        yield n
        raise Boom("midway")

    for function in (counts, acounts, Counter().counts):
        tool = FunctionTool(function, timeout=timeout)
        assert execute(tool, {"n": 3}).text == asyncio.run(aexecute(tool, {"n": 3})).text == "[0, 1, 2]"
    assert "midway" in execute(FunctionTool(fails, timeout=timeout), {"n": 1}).text


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("timeout", [None, 30])
def test_interrupts_pass(error, timeout):
    for function in raiser(error()):
        tool = FunctionTool(function, timeout=timeout)
        with pytest.raises(error):
            execute(tool, {})
        assert execute(FunctionTool(aadd), {"a": 1}).text == "2", "and the background loop lives on"


@pytest.mark.parametrize("timeout", [None, 30])
def test_a_tool_that_cancels_itself_has_failed(timeout):
    async def cancels():
        raise asyncio.CancelledError("mine")

    tool = FunctionTool(cancels, timeout=timeout)
    assert execute(tool, {}).code == "EXECUTION_ERROR"
    assert asyncio.run(aexecute(tool, {})).code == "EXECUTION_ERROR"


@pytest.mark.parametrize("timeout", [None, 30])
async def test_cancelling_the_caller_cancels(timeout):
    cancelled = []

    async def waits():
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    task = asyncio.ensure_future(aexecute(FunctionTool(waits, timeout=timeout), {}))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert cancelled == [True]


def slow_tools():
    released = threading.Event()

    def slow():
        released.wait(20)
        return "late"

    async def aslow():
        while not released.is_set():
            await asyncio.sleep(0.005)
        return "late"

    return released, [FunctionTool(slow, timeout=0.05), FunctionTool(aslow, timeout=0.05)]


def test_a_time_limit():
    released, slow = slow_tools()
    for tool in slow:
        began = time.monotonic()
        for response in (execute(tool, {}), asyncio.run(aexecute(tool, {}))):
            assert response.status is ToolStatus.ERROR
            assert response.code == "TIMEOUT"
            assert "0.05 s" in response.text
        assert time.monotonic() - began < 15
    released.set()


def test_a_time_limit_holds_in_a_registry():
    registry = ToolRegistry()
    released, (slow, _) = slow_tools()
    registry.register_function(slow.function, timeout=0.05)
    message = registry.answer(ToolCall("c", "slow"), "zh")
    assert message.content.startswith("❌ 错误 [TIMEOUT]: ")
    released.set()


async def test_slow_plain_tools_run_side_by_side():
    barrier = threading.Barrier(3, timeout=20)

    def meet() -> str:
        barrier.wait()
        return "met"

    tool = FunctionTool(meet)
    answers = await asyncio.gather(*(aexecute(tool, {}) for _ in range(3)))
    assert [answer.text for answer in answers] == ["met"] * 3


def test_arguments_that_do_not_fit():
    tool = FunctionTool(add)
    for response in (execute(tool, {"b": 1}), asyncio.run(aexecute(tool, {"b": 1}))):
        assert response.code == "INVALID_PARAM"
        assert "a is missing" in response.text


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({}, ["a is missing"]),
        ({"a": 1, "bb": 2}, ["no parameter bb", "did you mean b"]),
        ({"a": 1, "zzz": 2}, ["no parameter zzz", "a, b"]),
        ({"a": "x", "b": []}, ["a: ", '"x"', "b: "]),
        ({"a": True}, ["true and false are not numbers"]),
        ({"a": "x" * 1000}, ["…"]),
    ],
)
def test_what_is_wrong_is_said(arguments, parts):
    words = execute(FunctionTool(add), arguments).text
    assert all(part in words for part in parts), words
    assert len(words) < 400
    assert "pydantic" not in words


def test_places_inside_arguments_are_named():
    def f(rows: list[dict[str, int]]):
        pass

    assert "rows[1].a" in execute(FunctionTool(f), {"rows": [{"a": 1}, {"a": "x"}]}).text


def test_the_words_are_chinese_on_demand():
    assert "缺少 a" in execute(FunctionTool(add), {}, "zh").text
    assert execute(FunctionTool(lambda: None, "nothing"), {}, "zh").text == "（工具没有返回内容）"


def test_a_tool_that_cannot_be_described():
    def f(a: "Nowhere"):  # noqa: F821
        pass

    for response in (execute(FunctionTool(f), {}), asyncio.run(aexecute(FunctionTool(f), {}))):
        assert response.code == "INTERNAL_ERROR"
        assert "Nowhere" in response.text


def test_a_tool_without_run():
    assert "run" in execute(Adder(), {"a": 1}).text
    assert execute(Adder(), {"a": 1}).code == "EXECUTION_ERROR"


def test_a_replaced_run_is_the_one_that_runs():
    tool = Plain()
    assert execute(tool, {"a": 1}).text == "2"
    tool.run = lambda parameters: "replaced"
    assert execute(tool, {"a": 1}).text == "replaced"


def test_a_tool_cannot_change_the_callers_arguments():
    class Changes(Adder):
        def run(self, parameters):
            parameters["a"] = 99
            return ""

    sent = {"a": 1}
    execute(Changes(), sent)
    assert sent == {"a": 1}


def test_a_function_cannot_change_what_is_inside_the_callers_arguments():
    def bare(a: dict):
        a["b"]["c"] = 99

    def listed(a: list[dict]):
        a[0]["b"]["c"] = 99

    def keyed(a: dict[str, Any]):
        a["b"]["c"] = 99

    def untyped(a):
        a["b"]["c"] = 99

    def optional(a=None):
        a["b"]["c"] = 99

    def anything(**named):
        named["a"]["b"]["c"] = 99

    for function in (bare, listed, keyed, untyped, optional, anything):
        part = {"b": {"c": 1}}
        sent = {"a": [part] if function is listed else part}
        assert execute(FunctionTool(function), sent).code is None
        assert part == {"b": {"c": 1}}, function


def test_no_parameters_means_no_arguments():
    class Bare(Tool):
        def run(self, parameters):
            return parameters

    assert execute(Bare("bare", ""), {}).text == "{}"
    assert "takes none" in execute(Bare("bare", ""), {"x": 1}).text
