from functools import cache

import pytest
from support.openai_server import openai_server

__all__ = ["openai_server"]


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_loaded_once():
    """Each of the many clients here would load the machine's certificates, which nothing on loopback looks at."""
    import ssl

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(autouse=True)
def _repetitions_come_at_once(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)
