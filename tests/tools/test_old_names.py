"""What version 0.1.1 of the tutorial's framework had, over the one registry."""

import asyncio
import sys
import threading
import time
import types

import pytest

from hello_agents.tools import (
    AsyncToolExecutor,
    CalculatorTool,
    SearchTool,
    ToolChain,
    ToolChainManager,
    ToolRegistry,
    create_research_chain,
    create_simple_chain,
    run_batch_tool,
    run_batch_tool_sync,
    run_parallel_tools,
    run_parallel_tools_sync,
)
from hello_agents.tools.builtin import search as search_module


@pytest.fixture
def registry():
    registry = ToolRegistry()
    registry.register_tool(CalculatorTool())
    registry.register_function("search", "Searches.", lambda query: f"{len(query)} * 2")
    registry.register_function("join", "Joins.", lambda first, second: f"{first}+{second}")
    return registry


# --- chains ------------------------------------------------------------------------------------------------------


def test_a_chain_hands_on_what_it_found(registry):
    manager = ToolChainManager(registry)
    manager.register_chain(create_research_chain())
    manager.register_chain(create_simple_chain())
    context = {}
    assert manager.execute_chain("research_and_calculate", "abc", context) == "6"
    assert context == {"input": "abc", "search_result": "3 * 2", "calculation_result": "6"}
    assert manager.execute_chain("simple_demo", "2 ** 3") == "8"
    assert manager.list_chains() == ["research_and_calculate", "simple_demo"]
    info = manager.get_chain_info("simple_demo")
    assert info["steps"] == 1
    assert info["step_details"] == [
        {"tool_name": "python_calculator", "input_template": "{input}", "output_key": "result"}
    ]
    assert manager.get_chain_info("none") is None
    assert "There is no chain 'none'" in manager.execute_chain("none", "")


def test_templates(registry):
    chain = ToolChain("c", "")
    chain.add_step("python_calculator", "{input} + {start}")
    chain.add_step("join", '{"first": "{input}", "second": "{step_1_result}"}')
    assert chain.execute(registry, "1", {"start": 4}) == "1+5"
    registry.register_function("echo", "Echoes.", lambda text, more=(): f"{text}{''.join(more)}")
    for said in ('say "hi"', "two\nlines", "a\\b", '{"a": 1}', "北京 \ud800"):
        quoted = ToolChain("c", "")
        quoted.add_step("echo", '{"text": "{input}", "more": ["<{input}>"]}')
        assert quoted.execute(registry, said) == f"{said}<{said}>"
    braces = ToolChain("c", "")
    braces.add_step("search", "{input}")
    assert braces.execute(registry, "{a}{input}") == "10 * 2", "what is put in is not a template"
    typo = ToolChain("c", "")
    typo.add_step("search", "{inptu}")
    with pytest.raises(ValueError, match="'inptu'"):
        typo.execute(registry, "x")


def test_a_step_that_fails_ends_the_chain(registry):
    chain = ToolChain("c", "")
    chain.add_step("python_calculator", "{input}")
    chain.add_step("search", "{step_1_result}")
    assert "❌ Error" in chain.execute(registry, "1 / 0")
    assert "❌ Error [NOT_FOUND]" in create_simple_chain().execute(ToolRegistry(), "1")
    assert "has no steps" in ToolChain("c", "").execute(registry, "1")


# --- side by side ------------------------------------------------------------------------------------------------

TASKS = [
    {"tool_name": "python_calculator", "input_data": "1 + 1"},
    {"tool_name": "unknown", "input_data": "x"},
    {"tool_name": "search", "input_data": "abc"},
]


def check(results):
    assert [result["task_id"] for result in results] == [0, 1, 2]
    assert [result["status"] for result in results] == ["success", "error", "success"]
    assert [result["result"] for result in results[::2]] == ["2", "3 * 2"]
    assert results[0]["tool_name"] == "python_calculator"
    assert results[2]["input_data"] == "abc"


async def test_in_order_whatever_fails(registry):
    check(await run_parallel_tools(registry, TASKS))
    check(run_parallel_tools_sync(registry, TASKS))
    with AsyncToolExecutor(registry) as executor:
        check(await executor.execute_tools_parallel(TASKS))
        assert await executor.execute_tool_async("python_calculator", "3 * 3") == "9"
    assert [one["result"] for one in await run_batch_tool(registry, "python_calculator", ["1", "2"])] == ["1", "2"]
    assert await executor.execute_tools_parallel([]) == []


def test_from_plain_code(registry):
    check(run_parallel_tools_sync(registry, TASKS, max_workers=1))
    assert [one["result"] for one in run_batch_tool_sync(registry, "search", ["a", "bc"])] == ["1 * 2", "2 * 2"]


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_at_once_than_allowed(workers):
    now, most, lock = [0], [0], threading.Lock()

    def work(number: str) -> str:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return number

    registry = ToolRegistry()
    registry.register_function(work)
    results = asyncio.run(run_batch_tool(registry, "work", [f"n{n}" for n in range(9)], workers))
    assert [one["result"] for one in results] == [f"n{n}" for n in range(9)]
    assert most[0] <= workers
    with pytest.raises(ValueError, match="max_workers"):
        AsyncToolExecutor(registry, 0)


# --- web search --------------------------------------------------------------------------------------------------


@pytest.fixture
def no_keys(monkeypatch):
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    monkeypatch.delenv("SERPAPI_API_KEY", raising=False)


@pytest.mark.parametrize(
    ("backend", "named"), [("hybrid", "TAVILY SERPAPI"), ("tavily", "TAVILY"), ("serpapi", "SERPAPI")]
)
def test_without_keys_it_says_what_it_needs(no_keys, backend, named):
    response = SearchTool(backend).run({"input": "x"})
    assert response.code == "API_ERROR"
    assert "not configured" in response.text
    for name in ("TAVILY", "SERPAPI"):
        assert (f"{name}_API_KEY" in response.text) == (name in named)
    assert "尚未配置" in SearchTool(backend, language="zh").run({"input": "x"}).text


def client(monkeypatch, name, kind, answers):
    module = types.ModuleType(name)
    module.__spec__ = types.SimpleNamespace(name=name)
    seen = []

    class Client:
        def __init__(self, api_key):
            seen.append(api_key)

        def search(self, *arguments, **named):
            seen.append(named or arguments[0])
            if isinstance(answers, Exception):
                raise answers
            return answers

    setattr(module, kind, Client)
    monkeypatch.setitem(sys.modules, name, module)
    return seen


def test_with_a_key_and_a_client(no_keys, monkeypatch):
    found = {
        "results": [{"title": "北京", "content": "A city", "url": "http://localhost/1", "score": 1}, {"title": None}]
    }
    seen = client(monkeypatch, "tavily", "TavilyClient", found)
    response = SearchTool(tavily_key="k1").run({"input": " Beijing "})
    assert response.text == "[1] 北京\nA city\nhttp://localhost/1\n\n[2] \n\n"
    assert response.data["results"][0] == {"title": "北京", "content": "A city", "url": "http://localhost/1"}
    assert seen == ["k1", {"query": "Beijing", "max_results": 5}]
    assert "not configured" in SearchTool("serpapi", tavily_key="k1").run({"input": "x"}).text


def test_the_second_is_asked_when_the_first_fails(no_keys, monkeypatch):
    client(monkeypatch, "tavily", "TavilyClient", RuntimeError("quota"))
    monkeypatch.setenv("TAVILY_API_KEY", "k1")
    failed = search_module.search("x")
    assert "❌ Error [API_ERROR]" in failed
    assert "tavily: RuntimeError: quota" in failed
    results = {"organic_results": [{"title": "T", "snippet": "S", "link": "L"}] * 9}
    client(monkeypatch, "serpapi", "Client", results)
    monkeypatch.setenv("SERPAPI_API_KEY", "k2")
    assert search_module.search_hybrid("x").startswith("[1] T\nS\nL")
    assert search_module.search_serpapi("x").count("T") == 5
    assert "quota" in search_module.search_tavily("x")
    client(monkeypatch, "tavily", "TavilyClient", {})
    assert search_module.search_tavily("x") == "Nothing was found."


def test_what_is_no_search(no_keys):
    assert SearchTool().run({"input": " "}).code == "INVALID_PARAM"
    with pytest.raises(ValueError, match="'bing'"):
        SearchTool("bing")
    assert SearchTool().to_openai_schema()["function"]["name"] == "search"
