"""Cutting results of tools: within limits, between characters, accounted for, and whole in a file."""

from __future__ import annotations

import json
import threading
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.context.cutting import STRATEGIES, cut, fits, is_border, lines_of, size_of
from hello_agents.context.truncator import ObservationTruncator
from hello_agents.tools.response import ToolResponse

PIECES = st.sampled_from(
    [
        *("a", "word ", "你好", "世界。", "\n", "\r\n", "\r", "é", "e\u0301", "👩‍👩‍👧", "👍🏽", "🇨🇳", "🇩🇪", "\u0301"),
        *("\x00", "\u2028", "\ud83d", "\udc4d", "ERROR: x\n", "# heading\n", "42\n", " " * 30, "x" * 200, "각"),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=300))
LIMITS = st.one_of(st.integers(1, 12), st.integers(1, 400))
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


@every_strategy
@settings(max_examples=examples(300), deadline=None)
@given(text=TEXTS, max_lines=LIMITS, max_bytes=LIMITS, language=st.sampled_from(["en", "zh"]))
def test_the_result_is_within_the_limits_and_the_account_adds_up(strategy, text, max_lines, max_bytes, language):
    result = cut(text, max_lines, max_bytes, strategy, language=language, note=" Whole: out/x.txt.")
    assert size_of(result.text) <= max_bytes
    assert len(lines_of(result.text)) <= max_lines
    assert result.kept_lines + result.dropped_lines == result.total_lines == len(lines_of(text))
    assert result.kept_bytes + result.dropped_bytes == result.total_bytes == size_of(text)
    assert result.kept_lines >= 0
    assert result.kept_bytes >= 0
    whole = len(lines_of(text)) <= max_lines and size_of(text) <= max_bytes
    assert fits(text, max_lines, max_bytes) == whole
    if whole:
        assert result.text == text
    else:
        assert result.dropped_bytes > 0


def parts(text: str, result: str) -> list[str]:
    """What of the text is in the result, the notice taken out."""
    return [line for line in lines_of(result) if "left out" not in line and line.strip() != "…"]


@settings(max_examples=examples(300), deadline=None)
@given(text=TEXTS, max_bytes=st.integers(1, 400))
def test_head_is_the_beginning_up_to_a_border(text, max_bytes):
    result = cut(text, 10_000, max_bytes, "head")
    if result.dropped_bytes and result.kept_bytes:
        kept = text.encode("utf-8", "surrogatepass")[: result.kept_bytes].decode("utf-8", "surrogatepass")
        assert text.startswith(kept)
        assert result.text.startswith(kept)
        assert is_border(text, len(kept)) or len(text) > 64


@settings(max_examples=examples(300), deadline=None)
@given(text=TEXTS, max_bytes=st.integers(1, 400))
def test_tail_is_the_end_from_a_border_on(text, max_bytes):
    result = cut(text, 10_000, max_bytes, "tail")
    if result.dropped_bytes and result.kept_bytes:
        kept = text.encode("utf-8", "surrogatepass")[-result.kept_bytes :].decode("utf-8", "surrogatepass")
        assert text.endswith(kept)
        assert result.text.endswith(kept)
        assert is_border(text, len(text) - len(kept)) or len(text) > 64


@every_strategy
@pytest.mark.parametrize("sign", ["你", "👩‍👩‍👧", "e\u0301", "🇨🇳", "👍🏽", "각"])
def test_no_sign_is_cut_apart_wherever_the_limit_falls(strategy, sign):
    text = sign * 200
    for max_bytes in range(150, 150 + 3 * size_of(sign)):
        result = cut(text, 100, max_bytes, strategy)
        assert result.kept_bytes > 0
        for line in parts(text, result.text):
            bare = line.strip("\n")
            assert bare == sign * (len(bare) // len(sign))


@given(st.text(st.characters(max_codepoint=0x1FFFF), min_size=2, max_size=6), st.integers(0, 6))
def test_a_border_is_never_before_an_accent(text, at):
    if 0 < at < len(text) and unicodedata.category(text[at]).startswith("M"):
        assert not is_border(text, at)


def test_lines_are_kept_whole_where_that_uses_half_of_the_room():
    text = "".join(f"line {n}\n" for n in range(1000))
    for strategy in ("head", "tail", "head_tail"):
        result = cut(text, 1000, 400, strategy)
        assert set(parts(text, result.text)) <= set(lines_of(text))


def test_a_huge_line_is_cut_inside():
    text = "first\n" + "x" * 100_000 + "\nlast"
    assert cut(text, 100, 1000, "head").kept_bytes > 500
    assert cut(text, 100, 1000, "tail").kept_bytes > 500
    both = cut(text, 100, 1000, "head_tail")
    assert both.text.startswith("first\nxxx")
    assert both.text.endswith("xxx\nlast")
    assert both.kept_lines == 3
    assert both.dropped_lines == 0


def test_head_tail_keeps_both_ends_and_says_so_between():
    text = "".join(f"{n}\n" for n in range(100))
    result = cut(text, 7, 10_000, "head_tail")
    lines = lines_of(result.text)
    assert lines[:3] == ["0\n", "1\n", "2\n"]
    assert lines[4:] == ["97\n", "98\n", "99\n"]
    assert "6 of 100 lines" in lines[3]
    assert "left out are 94 lines" in lines[3]


@pytest.mark.parametrize(
    "telling",
    ["ValueError: no", "build FAILED", "connection refused", "出现错误", "# Results", "total 42", "looked for Mars"],
)
def test_summary_keeps_the_line_that_tells_something(telling):
    text = "".join(f"{'chatter ' * 5}{chr(97 + n % 26) * (n // 26 + 1)}\n" for n in range(400))
    middle = len(lines_of(text)) // 2
    lines = lines_of(text)
    whole = "".join([*lines[:middle], f"{telling}\n", *lines[middle:]])
    result = cut(whole, 10, 10_000, "summary", matching=["Mars"])
    assert f"{telling}\n" in lines_of(result.text)
    assert lines_of(result.text)[0].startswith("[Shortened: the key lines")
    assert lines[0] in result.text
    assert lines[-1] in result.text


def test_summary_keeps_errors_before_numbers_and_does_not_repeat_itself():
    text = "".join(f"step {n}\n" for n in range(200)) + "Error: disk full\n" * 50 + "bye\n"
    result = cut(text, 6, 10_000, "summary")
    assert result.text.count("disk full") == 1
    assert result.kept_lines == 5


@every_strategy
@given(value=st.recursive(st.integers() | st.text(max_size=9), lambda one: st.lists(one), max_leaves=60))
def test_a_part_of_json_does_not_pass_for_json(strategy, value):
    for indent in (None, 1):
        whole = json.dumps([value, value], ensure_ascii=False, indent=indent)
        for max_bytes in {1, 2, 3, 5, len(whole) // 2 + 1, 300}:
            result = cut(whole, 50, max_bytes, strategy)
            if result.dropped_bytes:
                with pytest.raises(ValueError, match=r"."):
                    json.loads(result.text)


@pytest.mark.parametrize(("language", "said"), [("en", "The whole is JSON"), ("zh", "不是合法的 JSON")])
def test_the_notice_says_that_a_part_of_json_is_none(language, said):
    whole = json.dumps([{"n": n} for n in range(1000)])
    assert said in cut(whole, 100, 2000, language=language).text
    assert said not in cut("[not JSON\n" * 1000, 100, 2000, language=language).text


# -- the truncator ------------------------------------------------------------------------------------------------


def test_making_one_touches_no_disk_and_short_output_is_not_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truncator = ObservationTruncator()
    result = truncator.truncate("search", "short")
    assert (result["truncated"], result["preview"], result["full_output_path"]) == (False, "short", None)
    assert list(tmp_path.iterdir()) == []


def test_the_whole_output_is_saved_and_named_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = "行一\r\n" * 3000
    result = ObservationTruncator(max_lines=10).truncate("search", output)
    assert result["truncated"]
    path = result["full_output_path"]
    assert path.startswith("tool-output/search_")
    assert Path(path).read_bytes().decode("utf-8") == output
    assert path in result["preview"]
    assert result["stats"]["kept_lines"] + result["stats"]["dropped_lines"] == result["stats"]["total_lines"] == 3000
    assert [file.name for file in Path("tool-output").iterdir()] == [Path(path).name]


def test_a_folder_elsewhere_is_named_as_it_is(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    result = ObservationTruncator(max_lines=2, output_dir=tmp_path / "out").truncate("t", "a\nb\nc\n")
    assert Path(result["full_output_path"]).is_absolute()
    assert Path(result["full_output_path"]).read_text(encoding="utf-8") == "a\nb\nc\n"


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = ObservationTruncator(max_lines=2, output_dir=None).truncate("t", "a\nb\nc\n")
    assert result["truncated"]
    assert result["full_output_path"] is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../evil", "/etc/passwd", "a\\b", "", "..", "工具", "x" * 500, "a\x00b", "con:1"])
def test_the_file_stays_in_its_folder_whatever_the_tool_is_called(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = Path(ObservationTruncator(max_lines=1).truncate(name, "a\nb\n")["full_output_path"])
    assert path.parent == Path("tool-output")
    assert path.is_file()


def test_different_outputs_have_different_files_and_equal_ones_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truncator = ObservationTruncator(max_lines=1)
    paths = [truncator.truncate("t", f"a\n{n % 3}\n")["full_output_path"] for n in range(9)]
    assert len(set(paths)) == 3
    assert len(list(Path("tool-output").iterdir())) == 3


def test_many_threads_save_the_same_output_whole(tmp_path):
    truncator = ObservationTruncator(max_lines=1, output_dir=tmp_path)
    output = "x\n" * 50_000
    threads = [threading.Thread(target=truncator.truncate, args=("t", output)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (file,) = tmp_path.iterdir()
    assert file.read_text(encoding="utf-8") == output


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(tmp_path):
    truncator = ObservationTruncator(max_lines=1, output_dir=tmp_path / "out")
    output = "a\nb\n"
    path = tmp_path / "out" / Path(truncator.truncate("t", output)["full_output_path"]).name
    path.unlink()
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    path.symlink_to(victim)
    truncator.truncate("t", output)
    assert victim.read_text(encoding="utf-8") == "mine"
    assert path.read_text(encoding="utf-8") == output


def test_a_folder_that_cannot_be_written_is_told_and_not_raised(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    result = ObservationTruncator(max_lines=3, output_dir=blocked).truncate("t", "a\n" * 100)
    assert result["full_output_path"] is None
    assert result["stats"]["save_error"]
    assert "could not be saved" in result["preview"]


def test_a_write_that_breaks_off_leaves_nothing_behind(tmp_path, monkeypatch):
    def broken(self: Path, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    result = ObservationTruncator(max_lines=3, output_dir=tmp_path).truncate("t", "a\n" * 100)
    assert "No space left" in result["stats"]["save_error"]
    assert list(tmp_path.iterdir()) == []


def test_half_of_a_surrogate_pair_can_be_saved(tmp_path):
    result = ObservationTruncator(max_lines=3, output_dir=tmp_path).truncate("t", "\ud83d\n" * 100)
    assert result["full_output_path"]


@pytest.mark.parametrize("make", [ToolResponse.success, ToolResponse.partial])
def test_a_response_keeps_its_status_and_data(make):
    response = make("x\n" * 5000, data={"all": 1}, stats={"time_ms": 1})
    shorter = ObservationTruncator(max_lines=10, output_dir=None).shorten("t", response)
    assert shorter.status == response.status
    assert shorter.data == {"all": 1}
    assert shorter.stats is not None
    assert shorter.stats["time_ms"] == 1
    assert shorter.stats["truncation"]["dropped_lines"] == 4991
    assert len(lines_of(shorter.text)) == 10
    assert response.text == "x\n" * 5000


def test_an_error_keeps_its_code_and_a_short_response_is_the_same_object():
    truncator = ObservationTruncator(max_lines=10, output_dir=None)
    error = truncator.shorten("t", ToolResponse.error("TIMEOUT", "x\n" * 5000))
    assert error.code == "TIMEOUT"
    assert len(lines_of(error.text)) == 10
    short = ToolResponse.success("ok")
    assert truncator.shorten("t", short) is short


def test_what_was_looked_for_comes_from_the_arguments():
    text = "".join(f"line {n}\n" for n in range(500)) + "the planet Mars\n" + "tail\n" * 500
    response = ToolResponse.success(text, context={"parameters": {"query": "mars"}})
    truncator = ObservationTruncator(max_lines=10, truncate_direction="summary", output_dir=None)
    assert "the planet Mars" in truncator.shorten("t", response).text


@pytest.mark.parametrize("bad", [{"max_lines": 0}, {"max_bytes": -1}, {"truncate_direction": "middle"}])
def test_settings_that_cannot_be_are_refused(bad):
    with pytest.raises(ValueError, match=str(next(iter(bad.values())))):
        ObservationTruncator(**bad)


def test_the_folder_of_the_process_may_change(tmp_path, monkeypatch):
    truncator = ObservationTruncator(max_lines=1)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert Path(truncator.truncate("t", "a\nb\n")["full_output_path"]).is_file()
    assert [file.name for file in tmp_path.glob("*/*")] == ["tool-output"] * 2
