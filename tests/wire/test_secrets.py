"""What is taken for a key, and what is not."""

import json

import pytest

from hello_agents.core.secrets import MASK, mask, mask_values


@pytest.mark.parametrize(
    "text",
    [
        "sk-proj-abcDEF0123456789abcDEF",
        "sk-ant-api03-abcdef0123456789",
        "AIzaSyA0123456789abcdefghijk",
        "ghp_0123456789abcdefghij0123",
        "hf_0123456789abcdefghij",
        "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK",
        "Bearer abc.def-0123456789",
        "api_key=abcd1234efgh",
        '"api-key": "abcd1234efgh"',
        "password: hunter2hunter2",
        "redis://user:hunter2@db.test:6379/0",
        "https://x.test/?access_token=abcd1234efgh&n=1",
    ],
)
def test_what_looks_like_a_key_is_masked(text):
    masked = mask(f"before {text} after")
    assert MASK in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")
    for secret in ("0123456789", "1234efgh", "hunter2", "SflK"):
        assert secret not in masked
    assert mask(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "risk-assessment-2024-report-final",
        "task-force",
        "max_tokens=4096000",
        "the password is required",
        "sk-learn",
        "hf_hub",
        "basic example",
        "x" * 500,
        "你好",
        "",
    ],
)
def test_what_does_not_is_left_alone(text):
    assert mask(text) == text


def test_known_secrets_are_masked_whatever_they_look_like():
    assert mask("key my-own-key-longer and my-own-key", "my-own-key", "my-own-key-longer") == "key *** and ***"
    assert mask("none of x", "x", "none", None, "") == "none of x"


def test_values_are_masked_all_the_way_down():
    value = {
        "api_key": "plain",
        "n": 1,
        "deep": [{"X-Api-Key": "plain", "text": "sk-0123456789abcdef"}],
        "tokens": 3,
        "password": "",
    }
    masked = mask_values(value)
    assert masked == {"api_key": MASK, "n": 1, "deep": [{"X-Api-Key": MASK, "text": MASK}], "tokens": 3, "password": ""}
    assert "sk-" in json.dumps(value)
    assert mask_values(("a", None, 1.5)) == ["a", None, 1.5]
