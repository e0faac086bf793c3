"""Code written for the tutorial's framework, 1.0.0 or 0.1.1, finds its names here, and can call them as before."""

import json

import pytest
from contract import compare


@pytest.mark.parametrize("version", compare.VERSIONS)
def test_what_is_missing_is_exactly_what_is_listed(version):
    listed = json.loads(compare.NOT_YET.read_text(encoding="utf-8"))[version]
    found = compare.missing(version)
    gone = [line for line in found if line not in listed]
    assert not gone, f"Code written for {version} no longer finds:\n" + "\n".join(gone)
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
