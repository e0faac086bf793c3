"""Evaluation: every trial comes to something, in order, wherever it runs; and the report says what."""

import json
import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from threading import Barrier

import pytest
from support.evaluated import REACT, SIMPLE, SUMS, calculating, dying, holds, not_made, raises, says

from hello_agents import CalculatorTool, Config, ReflectionAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry
from hello_agents.core.exceptions import ModelRefused
from hello_agents.core.run import Run
from hello_agents.evaluation import Report, Task, Trial, evaluate
from hello_agents.evaluation.tasks import LOST
from hello_agents.offline import OfflineLLM

ADD = Task("add", "What is 2 + 3?", partial(holds, "5"))
SUM = ToolCall("c", "python_calculator", {"input": "2 + 3"})


class AtOnce(Executor):
    """Does the work where it is submitted, in the order of submission."""

    def __init__(self):
        self.order = []

    def submit(self, work, /, *arguments, **named):
        self.order.append((arguments[0], arguments[2].id, arguments[3]))
        future = Future()
        future.set_result(work(*arguments, **named))
        return future


def test_every_agent_is_tried_on_every_task_as_often_as_asked():
    report = evaluate({"simple": SIMPLE, "react": REACT}, SUMS, repeats=2)
    expected = [(agent, task.id, n) for agent in ("simple", "react") for task in SUMS for n in range(2)]
    assert [(one.agent, one.task, one.repeat) for one in report.trials] == expected
    assert all(one.passed and one.steps > 1 and one.usage.total_tokens > 0 for one in report.trials)
    assert report.scores["simple"].rate == 1
    assert report.agents == ("simple", "react")
    assert report.tasks == tuple(task.id for task in SUMS)


def processes():
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


@pytest.mark.parametrize("make", [AtOnce, partial(ThreadPoolExecutor, 3), processes])
def test_wherever_it_runs_the_report_is_the_same(make):
    agents = {"simple": SIMPLE, "hurried": partial(calculating, SimpleAgent, 1), "none": not_made}
    with make() as executor:
        report = evaluate(agents, [*SUMS, Task("raises", "What is 1 + 1?", raises)], executor=executor)
    assert report.scores["simple"].passed == len(SUMS)
    assert report == evaluate(agents, [*SUMS, Task("raises", "What is 1 + 1?", raises)])


def test_tasks_are_taken_in_turn_over_the_agents():
    executor = AtOnce()
    evaluate({"a": SIMPLE, "b": SIMPLE}, SUMS[:2], repeats=2, executor=executor)
    assert [(agent, repeat) for agent, _, repeat in executor.order] == [("a", 0), ("b", 0)] * 2 + [
        ("a", 1),
        ("b", 1),
    ] * 2


def test_trials_run_at_the_same_time():
    both = Barrier(2, timeout=20)

    def meets(run):
        both.wait()
        return True

    report = evaluate({"a": partial(says, "Yes."), "b": partial(says, "Yes.")}, [Task("meet", "Hello", meets)])
    assert [one.reason for one in report.trials] == ["passed", "passed"]


REASONS = [
    (partial(says, "It is 5."), ADD, "passed", ""),
    (partial(says, "It is 6."), ADD, "wrong", ""),
    (partial(says, "It is 5."), Task("x", "What is 2 + 3?", raises), "check raised", "LookupError: no verdict"),
    (not_made, ADD, "not built", "OSError: no such model"),
    (lambda: 7, ADD, "not built", "AttributeError: 'int' object has no attribute 'state'"),
    (partial(says, ModelRefused("too long")), ADD, "ModelRefused", "ModelRefused: too long"),
    (partial(says, SUM, SUM, SUM, SUM, "No."), ADD, "repeated_call", ""),
]


@pytest.mark.parametrize(("make", "task", "reason", "error"), REASONS)
def test_whatever_goes_wrong_is_a_result(make, task, reason, error):
    trial = evaluate({"a": make}, [task]).trials[0]
    assert (trial.reason, trial.passed) == (reason, reason == "passed")
    assert trial.error == error


def test_a_run_that_ends_early_is_told_by_its_reason():
    report = evaluate(
        {"hurried": partial(calculating, SimpleAgent, 1)}, [Task("t", "What is 2 + 3?", lambda run: False)]
    )
    assert report.scores["hurried"].failures == {"max_steps": 1}


def test_what_an_agent_did_before_it_failed_is_kept():
    trial = evaluate({"a": partial(says, SUM, ModelRefused("too long"))}, [ADD]).trials[0]
    assert [message.role for message in trial.run.messages] == ["user", "assistant", "tool"]
    assert trial.steps == 2


def test_a_trial_is_played_again_step_by_step():
    trial = evaluate({"simple": SIMPLE}, SUMS[:1]).trials[0]
    debugger = trial.replay()
    assert debugger.run == trial.run
    debugger.jump(0)
    assert [message.role for message in debugger.run.messages] == ["user"]
    debugger.finish()
    assert debugger.run == trial.run


def test_with_an_agent_of_the_kind_requests_are_there_and_the_run_goes_on():
    trial = evaluate({"hurried": partial(calculating, SimpleAgent, 1)}, SUMS[:1]).trials[0]
    debugger = trial.replay(SIMPLE())
    debugger.jump(0)
    assert [tool["function"]["name"] for tool in debugger.request.tools] == ["python_calculator"]
    debugger.fork()
    debugger.step()
    assert debugger.run != trial.run
    assert debugger.finish().answer == trial.run.answer


def test_a_trial_without_an_agent_has_nothing_to_play():
    with pytest.raises(ValueError, match="not built"):
        evaluate({"none": not_made}, [ADD]).trials[0].replay()


def test_what_was_said_before_the_question_is_not_counted():
    def primed():
        agent = says("Hello.", "It is 5.")
        agent.run("Hello")
        return agent

    trial = evaluate({"a": primed}, [ADD]).trials[0]
    assert trial.steps == 1
    assert [message.text for message in trial.run.messages] == ["Hello", "Hello.", "What is 2 + 3?", "It is 5."]
    debugger = trial.replay()
    assert debugger.jump(-1) == Run.from_json(trial.start)
    assert debugger.finish() == trial.run


def test_a_worker_that_dies_loses_only_what_it_had():
    with processes() as executor:
        report = evaluate({"dying": dying}, [ADD], executor=executor)
    assert report.trials[0].reason == LOST
    assert "BrokenProcessPool" in report.trials[0].error


def test_work_that_cannot_be_sent_says_so():
    with processes() as executor:
        report = evaluate({"a": lambda: says("5")}, [ADD], executor=executor)
    assert report.scores["a"].failures == {LOST: 1}
    assert "pickle" in report.trials[0].error.lower()


class Picky(AtOnce):
    """Takes no work for the agent `heavy`, and says so at once, as Dask does of what it cannot send."""

    def submit(self, work, /, *arguments, **named):
        if arguments[0] == "heavy":
            raise TypeError("cannot send heavy")
        return super().submit(work, *arguments, **named)


def test_work_that_is_not_taken_is_lost_and_the_rest_is_done():
    report = evaluate({"heavy": SIMPLE, "light": SIMPLE}, SUMS, executor=Picky())
    assert report.scores["heavy"].failures == {LOST: len(SUMS)}
    assert report.trials[0].error == "TypeError: cannot send heavy"
    assert report.scores["light"].passed == len(SUMS)


def test_no_trial_is_left_behind_where_evaluating_is_interrupted():
    class Interrupted(Executor):
        def __init__(self):
            self.taken = []

        def submit(self, work, /, *arguments, **named):
            if len(self.taken) == 3:
                raise KeyboardInterrupt
            self.taken.append(Future())
            return self.taken[-1]

    executor = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        evaluate({"a": SIMPLE}, SUMS, executor=executor)
    assert [one.cancelled() for one in executor.taken] == [True] * 3


@pytest.mark.parametrize(
    ("agents", "tasks", "repeats", "words"),
    [
        ({}, [ADD], 1, "0 agents"),
        ({"a": SIMPLE}, [], 1, "0 tasks"),
        ({"a": SIMPLE}, [ADD], 0, "repeats=0"),
        ({"a": SIMPLE}, [ADD, ADD], 1, "the id 'add'"),
    ],
)
def test_what_leaves_nothing_to_try_is_refused(agents, tasks, repeats, words):
    with pytest.raises(ValueError, match=words):
        evaluate(agents, tasks, repeats=repeats)


MIXED = {"simple": SIMPLE, "wrong": partial(says, "It is <6>."), "智能体": not_made}


@pytest.fixture(scope="module")
def mixed():
    return evaluate(MIXED, SUMS, repeats=2)


def test_a_report_goes_to_json_and_pickle_and_back(mixed):
    for copy in (Report.from_json(mixed.to_json()), pickle.loads(pickle.dumps(mixed))):
        assert copy == mixed
        assert [one.run for one in copy.trials] == [one.run for one in mixed.trials]
        assert [one.seconds for one in copy.trials] == [one.seconds for one in mixed.trials]


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"schema": 9, "trials": []}', '{"schema": 1, "trials": [{}]}', "nothing"]
)
def test_a_text_that_is_no_report_is_refused(text):
    with pytest.raises(ValueError, match=r"Schema|valid|Expecting"):
        Report.from_json(text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_reads_the_same_each_time(mixed, language):
    again = evaluate(MIXED, SUMS, repeats=2)
    assert mixed.text(language) == again.text(language)
    assert mixed.html(language) == again.html(language)
    assert str(mixed) == repr(mixed) == mixed.text("en")


def test_the_table_has_a_line_an_agent_and_the_failures(mixed):
    lines = mixed.text().splitlines()
    assert lines[1].split()[:3] == ["simple", "8/8", "100"]
    assert lines[-3:] == ["wrong: wrong ×8", "智能体: not built ×8", "智能体, not built: OSError: no such model"]
    assert "seconds" not in mixed.text()
    assert "seconds" in mixed.text(seconds=True)


def priced(each):
    config = Config(max_steps=6, prices={"offline": (each, each)})
    return SimpleAgent("priced", OfflineLLM(), config=config)


@pytest.mark.parametrize("each", [1, 50_000])
def test_money_is_shown_where_there_are_prices(each):
    report = evaluate({"priced": partial(priced, each), "free": partial(says, "5")}, [ADD])
    cost = report.scores["priced"].cost
    assert cost == pytest.approx(report.scores["priced"].tokens * each / 1_000_000)
    head, paid, free = (line.split() for line in report.text().splitlines()[:3])
    assert head[-3:] == ["cost", "in", "all"]
    assert float(paid[-1].replace(",", "")) == pytest.approx(cost, rel=0.005)
    assert float(free[-1]) == 0
    assert f">{paid[-1]}</td>" in report.html()


def test_without_prices_there_is_no_column_for_money(mixed):
    assert "cost" not in mixed.text()
    assert "cost" not in mixed.html()


def test_the_page_shows_each_task_and_escapes_names():
    report = evaluate({"<b>": partial(says, "It is 6.")}, [Task("<i>", "?", partial(holds, "5"))])
    assert "&lt;b&gt;" in report.html()
    assert "&lt;i&gt;" in report.html()
    assert "✗ wrong" in report.html()
    assert "<b>" not in report.html().split("</b>", 1)[1]
    assert report._repr_html_() == report.html()


def test_an_agent_that_was_not_tried_is_named(mixed):
    with pytest.raises(KeyError, match="'nobody' was not tried"):
        mixed.of("nobody")


def trials(agent, outcomes):
    return [
        Trial(agent, f"t{task}", repeat, "passed" if fine else "wrong")
        for task, row in enumerate(outcomes)
        for repeat, fine in enumerate(row)
    ]


@pytest.mark.parametrize(
    ("first", "second", "method", "p", "ahead"),
    [
        ([[1]] * 6, [[0]] * 6, "mcnemar", 0.03125, (6, 0)),
        ([[1]] * 5, [[0]] * 5, "mcnemar", 0.0625, (5, 0)),
        ([[1], [0], [1]], [[0], [1], [1]], "mcnemar", 1.0, (1, 1)),
        ([[1, 1]] * 9, [[0, 0]] * 9, "bootstrap", 2 / 10_001, (9, 0)),
        ([[1, 0]] * 9, [[0, 1]] * 9, "bootstrap", 1.0, (0, 0)),
    ],
)
def test_two_agents_are_compared_task_by_task(first, second, method, p, ahead):
    comparison = Report((*trials("a", first), *trials("b", second))).compare("a", "b")
    assert (comparison.method, comparison.first_only, comparison.second_only) == (method, *ahead)
    assert comparison.p_value == pytest.approx(p)
    assert comparison.is_real == (p < 0.05)
    words = "rarely" if comparison.is_real else "could well"
    assert words in str(comparison)
    assert (f"p = {p:.3f} by" if p >= 0.001 else "p < 0.001 by") in str(comparison)
    assert comparison.text("zh") != str(comparison)


def test_only_shared_tasks_are_compared():
    few = [Trial("b", "t1", 0, "wrong")]
    comparison = Report((*trials("a", [[1], [1]]), *few)).compare("a", "b")
    assert (comparison.tasks, comparison.difference) == (1, 1.0)


def lines_of(report, **options):
    return [json.loads(line) for line in report.to_jsonl(**options).splitlines()]


def test_trajectories_are_conversations_with_tools_that_end_in_a_reply(mixed):
    lines = lines_of(mixed)
    assert len(lines) == mixed.scores["simple"].passed
    for line in lines:
        assert line["messages"][-1]["role"] == "assistant"
        assert [tool["function"]["name"] for tool in line["tools"]] == ["python_calculator"]
    assert len(lines_of(mixed, passed_only=False)) == len(mixed.trials) - len(mixed.of("智能体"))
    assert lines_of(mixed, agent="wrong") == []


def test_a_provider_would_take_the_trajectories():
    from support.openai_server import complaint_about

    report = evaluate({"simple": SIMPLE, "react": REACT}, SUMS)
    for line in lines_of(report):
        body = {"model": "m", "messages": line["messages"], "tools": line["tools"]}
        # Unlike a request, an example may end in calls that nobody has answered.
        answers = [
            {"role": "tool", "tool_call_id": call["id"], "content": ""}
            for call in line["messages"][-1].get("tool_calls", ())
        ]
        assert complaint_about(body | {"messages": [*line["messages"], *answers]}) is None


def compressing():
    registry = ToolRegistry()
    registry.register_tool(CalculatorTool())
    calls = [ToolCall(f"c{n}", "python_calculator", {"input": f"{n} + {10**40 + n}"}) for n in range(8)]
    model = ScriptedLLM(*calls, "It is 5.")
    return SimpleAgent("a", model, tool_registry=registry, config=Config(memory_buffer_tokens=300, max_steps=20))


def test_a_compressed_history_is_several_examples_and_each_reply_is_learnt_once():
    report = evaluate({"a": compressing}, [ADD])
    lines = lines_of(report)
    assert len(lines) > 1
    learnt = [one for line in lines for one in line["messages"] if one["role"] == "assistant" and "weight" not in one]
    assert len(learnt) == report.trials[0].steps
    ids = [call["id"] for one in learnt for call in one.get("tool_calls", ())]
    assert ids == sorted(set(ids))


def test_secrets_are_masked_unless_wanted():
    secret = "sk-" + "a1" * 20
    report = evaluate({"a": partial(says, f"5, and the key is {secret}")}, [ADD])
    assert secret not in report.to_jsonl()
    assert secret in report.to_jsonl(sanitize=False)


def test_a_sub_agent_has_a_trajectory_of_its_own_with_its_tools():
    def reflecting():
        return ReflectionAgent("r", OfflineLLM())

    report = evaluate({"r": reflecting}, [ADD])
    trial = report.trials[0]
    frames = [frame for frame, run in trial.run.frames if any(m.role == "assistant" for m in run.messages)]
    assert len(lines_of(report, passed_only=False)) == len(frames)
    assert set(trial.tools) == {frame for frame, _ in trial.run.frames}
