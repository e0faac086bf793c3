"""Every chapter once more with a model behind an endpoint, as a reader with a key has it: each cell runs.

The endpoint is on loopback, and the offline model answers behind it, over HTTP and in pieces. What it says is not
compared: a reader's own model would say something else.
"""

import re

import pytest
from notebooks.conftest import CHAPTERS, write_notebook
from notebooks.execute import CellExecutionError, execute, read
from support.openai_server import OpenAIServer

from hello_agents.memory import HashingEmbedding
from hello_agents.offline import OfflineLLM

KEY = "a-key-for-loopback"


@pytest.fixture(scope="module")
def provider():
    with OpenAIServer(OfflineLLM(), api_key=KEY, embed=HashingEmbedding()) as server:
        yield server


def settings(server):
    return {"LLM_MODEL_ID": "loopback", "LLM_API_KEY": KEY, "LLM_BASE_URL": server.base_url}


def printed(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "".join(output.text for output in outputs if output.output_type == "stream")


@pytest.mark.parametrize(
    "notebook",
    [pytest.param(path, id=path.stem, marks=() if path.stem[:2] == "01" else pytest.mark.more) for path in CHAPTERS],
)
def test_every_cell_runs(notebook, provider):
    executed = execute(notebook, settings=settings(provider))
    if any(re.search(r"\bchoose_model\(", cell.source) for cell in read(notebook).cells if cell.cell_type == "code"):
        assert f"Model: loopback at {provider.base_url}" in printed(executed)


ASKS = "from hello_agents import SimpleAgent\nfrom hello_agents.book import choose_model\nllm = choose_model()"


def test_the_endpoint_is_what_answers(tmp_path, provider):
    before = len(provider.requests)
    path = write_notebook(tmp_path / "00_asks.ipynb", [ASKS, "print(SimpleAgent('a', llm).run('Hello'))"])
    executed = execute(path, settings=settings(provider))
    assert len(provider.requests) == before + 1
    assert provider.requests[-1]["model"] == "loopback"
    assert len(printed(executed).splitlines()) >= 2


def test_a_cell_that_counts_on_the_offline_model_is_found(tmp_path, provider):
    cells = [ASKS, "from hello_agents.offline import OfflineLLM\nassert isinstance(llm, OfflineLLM)"]
    with pytest.raises(CellExecutionError, match="AssertionError"):
        execute(write_notebook(tmp_path / "00_counts.ipynb", cells), settings=settings(provider))
