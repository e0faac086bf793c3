"""The first program of a reader who comes from the tutorial, word for word, offline and over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from hello_agents.offline.offline_llm import OfflineLLM

QUICKSTART = """
from hello_agents import ReActAgent, HelloAgentsLLM, ToolRegistry
from hello_agents.tools.builtin import ReadTool, WriteTool, TodoWriteTool

llm = HelloAgentsLLM()  # 自动适配 OpenAI/Anthropic/Gemini
registry = ToolRegistry()
registry.register_tool(ReadTool())
registry.register_tool(WriteTool())
registry.register_tool(TodoWriteTool())  # 支持进度追踪

agent = ReActAgent("assistant", llm, tool_registry=registry)
agent.run("分析项目结构并生成报告")  # 启动 dispatch 循环
"""


@pytest.fixture
def project(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "main.py").write_text("print('hi')\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_twice() -> Any:
    names: dict[str, Any] = {}
    exec(QUICKSTART, names)
    agent = names["agent"]
    first = agent.state
    assert first.outcome is not None
    assert first.outcome.reason == "finished"
    assert first.answer
    assert any(message.role == "tool" and message.metadata["tool"] == "Read" for message in first.messages)
    again = agent.run("我刚才的第一个问题是什么？")
    assert "分析项目结构并生成报告" in again
    assert list(agent.state.messages)[: len(first.messages)] == list(first.messages)
    return agent


def test_the_quickstart_runs_offline(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL_ID", "offline")
    run_twice()


def test_the_quickstart_runs_against_a_server(
    project: Any, monkeypatch: pytest.MonkeyPatch, openai_server: Any
) -> None:
    server = openai_server(OfflineLLM())
    monkeypatch.setenv("LLM_MODEL_ID", "some-model")
    monkeypatch.setenv("LLM_API_KEY", "sk-loopback-0123456789abcdef")
    monkeypatch.setenv("LLM_BASE_URL", server.base_url)
    agent = run_twice()
    assert len(server.requests) == agent.state.steps
    assert server.requests[-1]["messages"][1]["content"] == "分析项目结构并生成报告"
