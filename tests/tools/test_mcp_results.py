"""What an MCP server answers, as a model that reads text is told of it."""

from __future__ import annotations

import base64

import pytest
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from hello_agents.tools.mcp_results import response_of
from hello_agents.tools.response import ToolStatus

TEXT = TextContent(type="text", text="7 度")


def packed(size: int) -> str:
    return base64.b64encode(bytes(size)).decode()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 1000])
@pytest.mark.parametrize("kind", [ImageContent, AudioContent])
def test_what_is_no_text_is_described_with_its_size(kind: type, size: int, language: str) -> None:
    name = "image" if kind is ImageContent else "audio"
    block = kind(type=name, data=packed(size), mime_type=f"{name}/x")
    response = response_of(CallToolResult(content=[TEXT, block]), language)
    first, second = response.text.split("\n", 1)
    assert first == "7 度"
    assert f"{name}/x" in second
    assert str(size) in second
    assert packed(size) not in second or size == 0


def test_resources_are_read_or_named() -> None:
    link = ResourceLink(type="resource_link", name="plan", uri="file:///plan.md")
    inside = EmbeddedResource(type="resource", resource=TextResourceContents(uri="file:///a.md", text="in full"))
    packed_up = EmbeddedResource(type="resource", resource=BlobResourceContents(uri="file:///b.bin", blob=packed(9)))
    said = response_of(CallToolResult(content=[link, inside, packed_up]), "en").text.split("\n")
    assert "plan" in said[0]
    assert "file:///plan.md" in said[0]
    assert said[1] == "in full"
    assert "file:///b.bin" in said[2]
    assert packed(9) not in said[2]


def test_structured_content_speaks_where_there_is_no_text_and_is_kept_in_any_case() -> None:
    structured = {"城市": "奥斯陆", "degrees": 0}
    alone = response_of(CallToolResult(content=[], structured_content=structured), "en")
    assert "奥斯陆" in alone.text
    beside = response_of(CallToolResult(content=[TEXT], structured_content=structured), "en")
    assert beside.text == "7 度"
    assert alone.data["structured"] == beside.data["structured"] == structured
    assert [block["type"] for block in beside.data["content"]] == ["text"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_error_is_one_and_says_something(language: str) -> None:
    said = response_of(CallToolResult(content=[TEXT], is_error=True), language)
    silent = response_of(CallToolResult(content=[], is_error=True), language)
    assert said.status is silent.status is ToolStatus.ERROR
    assert "7 度" in said.text
    assert silent.text
    nothing = response_of(CallToolResult(content=[]), language)
    assert nothing.status is ToolStatus.SUCCESS
    assert nothing.text
