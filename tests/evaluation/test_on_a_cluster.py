"""Evaluation on Dask's local cluster: real workers in processes of their own, on loopback, and the same report."""

import os
import threading
from functools import partial

import pytest
from distributed import LocalCluster
from support.evaluated import REACT, SIMPLE, SUMS, calculating, holds, not_made, raises, says

from hello_agents import ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.evaluation import Task, evaluate
from hello_agents.evaluation.tasks import LOST


@pytest.fixture(scope="module")
def executor():
    # Dask's own page would take the same port in every session, and `None` does not keep it from that.
    place = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=2, threads_per_worker=1, **place) as cluster, cluster.get_client() as client:
        yield client.get_executor()


def test_the_report_is_that_of_this_machine(executor):
    agents = {"simple": SIMPLE, "react": REACT, "hurried": partial(calculating, SimpleAgent, 1), "none": not_made}
    tasks = [*SUMS, Task("raises", "What is 1 + 1?", raises)]
    report = evaluate(agents, tasks, repeats=2, executor=executor)
    assert report == evaluate(agents, tasks, repeats=2)
    assert [one.run for one in report.trials] == [one.run for one in evaluate(agents, tasks, repeats=2).trials]
    assert report.scores["simple"].passed == 2 * len(SUMS)


def asks_where(home):
    def where():
        """Says where it runs."""
        return "here" if os.getpid() == home else "elsewhere"

    tools = ToolRegistry()
    tools.register_function(where)
    return SimpleAgent("a", ScriptedLLM(ToolCall("w", "where", {}), "Done."), tool_registry=tools)


def test_the_trials_are_in_other_processes(executor):
    task = Task("t", "Where?", lambda run: "elsewhere" in [message.text for message in run.messages])
    agents = {"a": partial(asks_where, os.getpid())}
    assert evaluate(agents, [task], executor=executor).trials[0].passed
    assert not evaluate(agents, [task]).trials[0].passed


def test_functions_that_no_module_has_can_be_sent(executor):
    """As those of a notebook are, which a pool of processes refuses."""
    word = "5"
    report = evaluate(
        {"a": lambda: says(f"It is {word}.")},
        [Task("t", "2 + 3?", lambda run: word in run.answer), Task("u", "2 + 4?", partial(holds, "6"))],
        executor=executor,
    )
    assert [one.reason for one in report.trials] == ["passed", "wrong"]


def test_what_cannot_be_sent_is_lost_and_the_rest_is_done(executor):
    lock = threading.Lock()
    report = evaluate({"heavy": lambda: says(str(lock)), "simple": SIMPLE}, SUMS, executor=executor)
    assert report.scores["heavy"].failures == {LOST: len(SUMS)}
    assert "serialize" in report.trials[0].error
    assert report.scores["simple"].passed == len(SUMS)
