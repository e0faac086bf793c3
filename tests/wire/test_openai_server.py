"""The test server itself: it refuses what providers refuse, so that the other tests mean something."""

import openai
import pytest

SYSTEM, USER = {"role": "system", "content": "S"}, {"role": "user", "content": "q"}
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKED, ANSWER = (
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a", "content": "r"},
)


def tool(schema, name="f"):
    return {"type": "function", "function": {"name": name, "parameters": schema}}


OBJECT = {"type": "object", "properties": {}}


def call(**fields):
    return {**ASKED, "tool_calls": [{**CALL, **fields}]}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"messages": []}, "empty array"),
        ({"messages": [{"role": "summary", "content": "x"}]}, "Supported values are"),
        ({"messages": [ANSWER]}, "must be a response to a preceeding message"),
        ({"messages": [USER, ASKED]}, "did not have response messages: a"),
        ({"messages": [USER, ASKED, USER, ANSWER]}, "did not have response messages: a"),
        ({"messages": [USER, ASKED, ANSWER, ANSWER]}, "must be a response"),
        ({"messages": [USER, ASKED, ANSWER, ASKED, ANSWER]}, "Duplicate value"),
        ({"messages": [USER, {"role": "assistant", "content": ""}]}, "must not be empty"),
        ({"messages": [USER, {"role": "assistant", "content": None}]}, "expected a string, got null"),
        ({"messages": [{"role": "user", "content": None}]}, "expected a string, got null"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "expected a string, but got list"),
        ({"messages": [USER, SYSTEM]}, "must be at the beginning"),
        ({"messages": [SYSTEM, USER, SYSTEM]}, "must be only one"),
        ({"messages": [{**USER, "timestamp": 1}]}, "Additional properties"),
        ({"messages": [USER, call(function={"name": "f", "arguments": "{"}), ANSWER]}, "must be a JSON object"),
        ({"messages": [USER, call(function={"name": "a b", "arguments": "{}"}), ANSWER]}, "does not match pattern"),
        ({"messages": [USER, call(id=""), ANSWER]}, "empty string"),
        ({"messages": [USER], "tools": []}, "Invalid 'tools': empty array"),
        (
            {"messages": [USER], "tools": [tool({"type": "object", "properties": {"x": {"type": "array"}}})]},
            "array schema missing items",
        ),
        ({"messages": [USER], "tools": [tool({"type": "string"})]}, "got 'type: 'string''"),
        ({"messages": [USER], "tools": [tool(OBJECT), tool(OBJECT)]}, "must be unique"),
        ({"messages": [USER], "tools": [tool(OBJECT, "a b")]}, "does not match pattern"),
        ({"messages": [USER], "tool_choice": "auto"}, "only allowed when 'tools' are specified"),
        ({"messages": [USER], "tools": [tool(OBJECT)], "tool_choice": "f"}, "Invalid value: 'f'"),
        (
            {
                "messages": [USER],
                "tools": [tool(OBJECT)],
                "tool_choice": {"type": "function", "function": {"name": "g"}},
            },
            "not found in 'tools'",
        ),
        ({"messages": [USER], "at": 1}, "Unrecognized request argument"),
    ],
)
def test_what_providers_refuse_is_refused(openai_server, body, words):
    server = openai_server("never")
    client = openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0)
    with pytest.raises(openai.BadRequestError) as caught:
        client.post("/chat/completions", cast_to=object, body={"model": "m", **body})
    assert words in caught.value.body["message"]
    client.close()


def test_the_official_client_reads_what_it_sends(openai_server):
    server = openai_server("Hello there", "Hello there")
    with openai.OpenAI(base_url=server.base_url, api_key="k") as client:
        whole = client.chat.completions.create(model="m", messages=[USER])
        assert (whole.choices[0].message.content, whole.usage.total_tokens) == ("Hello there", 9)
        options = {"include_usage": True}
        chunks = list(client.chat.completions.create(model="m", messages=[USER], stream=True, stream_options=options))
        assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "Hello there"
        assert chunks[-1].usage.total_tokens == 9
        assert [model.id for model in client.models.list()] == ["loopback"]
        with pytest.raises(openai.BadRequestError, match="no reply left"):
            client.chat.completions.create(model="m", messages=[USER])


def test_the_key_is_checked(openai_server):
    server = openai_server("x", api_key="right")
    with openai.OpenAI(base_url=server.base_url, api_key="wrong", max_retries=0) as client:
        with pytest.raises(openai.AuthenticationError, match="Incorrect API key"):
            client.chat.completions.create(model="m", messages=[USER])
