"""Code written for version 1.0.0 of the tutorial's framework finds its names here, and can call them as before."""

import json

import pytest
from contract import compare


def test_what_is_missing_is_exactly_what_is_listed():
    listed = json.loads(compare.NOT_YET.read_text(encoding="utf-8"))
    found = compare.missing()
    gone = [line for line in found if line not in listed]
    assert not gone, "Code written for 1.0.0 no longer finds:\n" + "\n".join(gone)
    built = [line for line in listed if line not in found]
    assert not built, "Built, so take it off the list with `make contract`:\n" + "\n".join(built)


@pytest.mark.parametrize(
    "ours",
    [
        lambda self, text, limit=3: None,
        lambda self, text, limit=None, *, more=None: None,
        lambda *args, **kwargs: None,
        lambda self, text="", *args, **kwargs: None,
    ],
)
def test_a_signature_that_takes_the_same_calls_is_accepted(ours):
    assert list(compare._call("f", ours, "self, text: str, limit: int=3", bound=False)) == []


@pytest.mark.parametrize(
    "ours",
    [
        lambda self, text: None,
        lambda self, question, limit=3: None,
        lambda self, text, *, limit=3: None,
        lambda self, text, limit: None,
        lambda self, text, limit=3, *, needed: None,
    ],
)
def test_a_signature_that_refuses_such_a_call_is_found(ours):
    assert list(compare._call("f", ours, "self, text: str, limit: int=3", bound=False)) != []
