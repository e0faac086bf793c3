"""Laws 7: whatever the history, what is sent is legal; and a legal history is sent as it is."""

from hypothesis import given
from hypothesis import strategies as st
from support.histories import anything, legal
from support.openai_server import complaint_about

from hello_agents.core.action import Request
from hello_agents.core.message import Message, ToolCall
from hello_agents.wire.openai_chat import encode
from hello_agents.wire.repair import repair


def user(text):
    return Message(text, "user")


def calling(*ids, content=None):
    return Message(content, "assistant", tool_calls=[ToolCall(id, "f") for id in ids])


def result(id, text="ok"):
    return Message(text, "tool", answers=id)


@given(legal(reasoning=True))
def test_a_legal_history_comes_back_as_the_same_messages(history):
    repaired = repair(history)
    assert len(repaired) == len(history)
    assert all(new is old for new, old in zip(repaired, history, strict=True))


@given(anything, st.sampled_from(["en", "zh"]))
def test_repairing_twice_changes_nothing_more(history, language):
    once = repair(history, language)
    assert all(new is old for new, old in zip(repair(once, language), once, strict=True))


@given(anything)
def test_no_provider_can_refuse_what_is_sent(history):
    body = encode(Request([*history, user("go on")]), model="m")
    for message in body["messages"]:  # OpenAI itself refuses letters of other scripts; tools may have them elsewhere.
        for call in message.get("tool_calls", ()):
            call["function"]["name"] = call["function"]["name"].replace("工具", "tool")
    assert complaint_about(body) is None


@given(anything)
def test_nothing_said_is_lost(history):
    sent = "\n".join(message.text for message in repair(history))
    for message in history:
        if message.role in ("user", "system", "summary") and message.text.strip():
            assert message.text in sent


@given(anything)
def test_every_call_has_exactly_one_answer_right_behind_it(history):
    repaired = repair(history)
    for at, message in enumerate(repaired):
        if message.tool_calls:
            answers = repaired[at + 1 : at + 1 + len(message.tool_calls)]
            assert [answer.answers for answer in answers] == [call.id for call in message.tool_calls]
            assert {answer.role for answer in answers} == {"tool"}


def test_a_window_that_begins_inside_a_round_loses_the_orphans():
    assert repair([result("a"), Message("done", "assistant")]) == [Message("done", "assistant")]
    system = Message("S", "system")
    assert repair([system, result("a"), user("q")]) == [system, user("q")]


def test_a_call_without_a_result_is_answered_as_not_answered():
    repaired = repair([user("q"), calling("a", "b"), result("b"), user("and?")])
    assert [(m.role, m.answers) for m in repaired[1:]] == [
        ("assistant", None),
        ("tool", "a"),
        ("tool", "b"),
        ("user", None),
    ]
    assert repaired[2].text.startswith("not answered")
    assert repaired[2].status == "error"
    assert repair([calling("a")], "zh")[1].text.startswith("未得到结果")


def test_results_move_behind_their_call_in_the_order_of_the_calls():
    repaired = repair([calling("a", "b"), user("wait"), result("b", "B"), result("a", "A"), result("a", "again")])
    assert [m.text for m in repaired] == ["", "A", "B", "wait"]


def test_two_calls_with_one_id_keep_both_results():
    repaired = repair([calling("a", "a"), result("a", "first"), result("a", "second")])
    ids = [call.id for call in repaired[0].tool_calls]
    assert len(set(ids)) == 2
    assert [(m.answers, m.text) for m in repaired[1:]] == [(ids[0], "first"), (ids[1], "second")]


def test_an_id_used_in_two_turns_is_renamed_in_the_later():
    repaired = repair([calling("a"), result("a", "1"), user("more"), calling("a"), result("a", "2")])
    assert [m.answers for m in repaired] == [None, "a", None, None, "a_0"]
    assert [m.text for m in repaired if m.role == "tool"] == ["1", "2"]


def test_a_result_belongs_to_the_nearest_call_before_it():
    repaired = repair([calling("a"), user("never mind"), calling("a"), result("a", "2")])
    assert [m.text for m in repaired if m.role == "tool"] == ["not answered: there is no result of this call", "2"]


def test_one_system_message_first():
    first, second = Message("be kind", "system"), Message("be brief", "system")
    assert repair([user("q"), first]) == [first, user("q")]
    assert repair([first, user("q"), first]) == [first, user("q")]
    assert repair([first, user("q"), second]) == [Message("be kind\n\nbe brief", "system"), user("q")]
    assert repair([Message(" ", "system"), user("q")]) == [user("q")]


def test_a_summary_goes_out_under_a_heading_as_a_user_message():
    assert repair([Message("they met", "summary")]) == [user("Summary of the conversation so far:\nthey met")]
    assert repair([Message("他们见面", "summary")], "zh") == [user("此前对话的摘要：\n他们见面")]


def test_an_assistant_that_says_nothing_is_not_sent():
    for nothing in (None, "", "  \n"):
        assert repair([user("q"), Message(nothing, "assistant")]) == [user("q")]
        assert repair([calling("a", content=nothing), result("a")])[0].content is None


def test_a_name_that_providers_refuse_is_changed():
    for bad, good in (("functions.add", "functions_add"), ("a b", "a_b"), ("", "unnamed"), ("天气", "天气")):
        message = Message(None, "assistant", tool_calls=[ToolCall("1", bad)])
        assert repair([message, result("1")])[0].tool_calls[0].name == good
