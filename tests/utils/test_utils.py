"""The helpers of version 0.1.1."""

import logging
from datetime import datetime

import pytest

from hello_agents import utils


def test_helpers(tmp_path):
    assert utils.format_time(datetime(2026, 1, 2, 3, 4, 5)) == "2026-01-02 03:04:05"
    assert utils.format_time(format_str="%Y").isdigit()
    assert utils.validate_config({"a": 1, "b": None}, ["a", "b"])
    with pytest.raises(ValueError, match="lack b, c"):
        utils.validate_config({"a": 1}, ["a", "b", "c"])
    assert utils.safe_import("json").__name__ == "json"
    assert utils.safe_import("json", "loads")("[1]") == [1]
    with pytest.raises(ImportError, match="pip install no_such_module"):
        utils.safe_import("no_such_module")
    with pytest.raises(ImportError, match="json has no name 'load_all'"):
        utils.safe_import("json", "load_all")
    assert utils.ensure_dir(tmp_path / "a" / "b").is_dir()
    assert (utils.get_project_root() / "hello_agents" / "utils").is_dir()


def test_merging_leaves_both_alone():
    one, two = {"a": {"x": 1, "y": 2}, "b": 1}, {"a": {"y": 3}, "b": {"z": 1}, "c": 1}
    assert utils.merge_dicts(one, two) == {"a": {"x": 1, "y": 3}, "b": {"z": 1}, "c": 1}
    assert one == {"a": {"x": 1, "y": 2}, "b": 1}


def test_a_logger_writes_once(capsys):
    for _ in range(3):
        logger = utils.setup_logger("hello_agents.test", "debug", "%(levelname)s %(message)s")
    assert utils.get_logger("hello_agents.test") is logger
    assert len(logger.handlers) == 1
    assert logger.level == logging.DEBUG
    with pytest.raises(ValueError, match="LOUD"):
        utils.setup_logger("hello_agents.test", "loud")
    logger.handlers.clear()


@pytest.mark.parametrize("format", ["json", "pickle"])
def test_objects_go_to_text_and_back(tmp_path, format):
    value = {"城市": "北京", "numbers": [1, 2.5, None, True]}
    assert utils.deserialize_object(utils.serialize_object(value, format), format) == value
    utils.save_to_file(value, tmp_path / "deep" / "x", format)
    assert utils.load_from_file(tmp_path / "deep" / "x", format) == value
    with pytest.raises(ValueError, match="'yaml' is not a format"):
        utils.serialize_object(value, "yaml")


def test_what_json_does_not_know(tmp_path):
    assert '"北京"' in utils.serialize_object({"when": datetime(2026, 1, 2), "where": {"北京"}})
    with pytest.raises(ValueError, match="A pickle is bytes"):
        utils.deserialize_object("text", "pickle")
    with pytest.raises(ValueError, match="Expecting value"):
        utils.deserialize_object("nonsense")
