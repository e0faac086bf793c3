"""What is taken for a key, and what is not."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.core import secrets
from hello_agents.core.secrets import MASK, is_secret_name, mask, mask_values


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


def plainly_masked(text, *known):
    """What `mask` does, without its shortcuts."""
    for secret in sorted({one for one in known if one and len(one) >= 6}, key=len, reverse=True):
        text = text.replace(secret, MASK)
    text = re.sub(secrets._SHAPES, MASK, text)
    text = re.sub(secrets._IN_ADDRESS, rf"\1{MASK}\2", text)
    text = re.sub(secrets._BEARER, rf"\1\2{MASK}", text)
    return re.sub(secrets._NAMED, rf"\1{MASK}", text)


PIECES = st.sampled_from(
    [
        "sk-",
        "sk-proj-",
        "AIza",
        "ghp_",
        "gho_",
        "hf_",
        "hf-",
        "gsk_",
        "xai-",
        "ms_",
        "ms-",
        "pplx-",
        "eyJ",
        ".",
        "://",
        "@",
        ":",
        "=",
        "Bearer",
        "BASIC",
        "baſic",
        "Basıc",
        "İ",
        "K",
        "api_key",
        "apiKey",
        "API-KEY",
        "access_token",
        "ſecret",
        "secret_key",
        "PASSWORD",
        "passwd",
        "authorization",
        "0123456789abcdef",
        "abcdefghijklmnopqrstuv",
        "a1",
        "*",
        "-",
        "_",
        '"',
        "'",
        ";",
        "&",
        "}",
        "北京",
    ]
) | st.sampled_from([" ", "\n", "\t"])
TEXTS = st.lists(PIECES | st.text(max_size=4), max_size=14).map("".join)


@settings(max_examples=examples(600), deadline=None)
@given(TEXTS, st.lists(st.none() | st.text(min_size=1, max_size=8), max_size=2))
def test_the_shortcuts_change_no_result(text, known):
    assert mask(text, *known) == plainly_masked(text, *known)


@settings(max_examples=examples(300), deadline=None)
@given(TEXTS | st.sampled_from(["key", "x-api-key", "TOKEN", "Access_Token", "my secret", "my_ſecret", "a\n_secret"]))
def test_the_shortcut_for_names_changes_no_result(name):
    assert is_secret_name(name) == (re.match(secrets._SECRET_FIELD, name) is not None)
