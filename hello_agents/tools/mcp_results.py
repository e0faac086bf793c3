"""Results of MCP servers as responses: text as it is, everything else described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalogue import text
from .errors import ToolErrorCode
from .response import ToolResponse
from .values import to_json

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock


def response_of(result: CallToolResult, language: str) -> ToolResponse:
    """What a server answered, as a response. `data` has it whole: `content`, and `structured` if there is any."""
    said = "\n".join(filter(None, (_words(block, language) for block in result.content)))
    structured = result.structured_content
    if not said and structured is not None:
        said = to_json(structured)
    if result.is_error:
        return ToolResponse.error(ToolErrorCode.EXECUTION_ERROR, said or text("mcp.failed", language))
    content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
    data = {"content": content} | ({} if structured is None else {"structured": structured})
    return ToolResponse.success(said or text("tool.none", language), data)


def _words(block: ContentBlock, language: str) -> str:
    """A block as a model that reads text is told of it."""
    match block.type:
        case "text":
            return block.text
        case "image" | "audio":
            # Four characters of base64 stand for three bytes.
            size = len(block.data.rstrip("=")) * 3 // 4
            return text(f"mcp.{block.type}", language, kind=block.mime_type, size=size)
        case "resource_link":
            return text("mcp.link", language, name=block.name, uri=str(block.uri))
        case "resource":
            match block.resource:
                case resource if "text" in type(resource).model_fields:
                    return str(resource.model_dump()["text"])
                case resource:
                    return text("mcp.resource", language, uri=str(resource.uri))
