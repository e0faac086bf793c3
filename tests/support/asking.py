"""The four ways in which a model is asked: they give the same reply."""

import asyncio

from hello_agents.core.action import Request
from hello_agents.core.message import Message

REQUEST = Request([Message("be kind", "system"), Message("你好", "user")], at=("", 2))


def sync_whole(llm, request=REQUEST):
    return list(llm.whole.stream(request))


def sync_stream(llm, request=REQUEST):
    return list(llm.stream(request))


def async_whole(llm, request=REQUEST):
    async def go():
        return [part async for part in llm.whole.astream(request)]

    return asyncio.run(go())


def async_stream(llm, request=REQUEST):
    async def go():
        return [part async for part in llm.astream(request)]

    return asyncio.run(go())


WAYS = [sync_whole, sync_stream, async_whole, async_stream]
STREAMS = [sync_stream, async_stream]
