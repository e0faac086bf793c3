"""Skills: found, described, read on demand; the broken ones are listed and disturb nobody."""

import os

import pytest

from hello_agents import Config, ScriptedLLM, SimpleAgent
from hello_agents.core.message import ToolCall
from hello_agents.skills import Skill, SkillLoader
from hello_agents.tools import SkillTool, ToolRegistry


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "skills"
    folder.mkdir()
    return folder


def add(folder, name, content, **files):
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    for path, body in files.items():
        file = folder / name / path.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")


def plain(name, description="Does things", body="Do it."):
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


# --- heads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "name", "description"),
    [
        ("name: a\ndescription: Review code: two axes", "a", "Review code: two axes"),
        ("name: a: b\ndescription: x", "a: b", "x"),
        ("name: a\ndescription: Use when: (1) x: y, (2) `a: b`", "a", "Use when: (1) x: y, (2) `a: b`"),
        ('name: a\ndescription: "quoted": and more', "a", '"quoted": and more'),
        ("name: a\ndescription: [unclosed, list", "a", "[unclosed, list"),
        ("name: a\ndescription: @mention and %percent", "a", "@mention and %percent"),
        ("name: a\ndescription: 'it''s'", "a", "it's"),
        ('name: "a"\ndescription: "x: y"', "a", "x: y"),
        ("name: a\ndescription: >\n  folded\n  lines\nlicense: MIT", "a", "folded lines"),
        ("name: a\ndescription: |\n  first: x\n  second", "a", "first: x second"),
        ("name: a\ndescription: one: two\nmetadata:\n  version: 1\n  tags: [x, y]", "a", "one: two"),
        ("name: 123\ndescription: yes", "123", "yes"),
        ("description: no name", "folder", "no name"),
        ("name: 写诗\ndescription: 写：五言绝句", "写诗", "写：五言绝句"),
        ("name: a\ndescription: 审查: 两个方面", "a", "审查: 两个方面"),
        ("# a comment\n\nname: a\ndescription: x", "a", "x"),
        ("name: a   \ndescription:   x  ", "a", "x"),
        ("name: a\ndescription: x\nother: !!python/object/apply:os.system ['true']", "a", "x"),
    ],
)
@pytest.mark.parametrize("shape", ["plain", "crlf", "bom", "both"])
def test_heads_as_people_write_them(folder, head, name, description, shape):
    content = f"---\n{head}\n---\nBody\n"
    if shape in ("crlf", "both"):
        content = content.replace("\n", "\r\n")
    if shape in ("bom", "both"):
        content = "\ufeff" + content
    add(folder, "folder", content)
    loader = SkillLoader(folder)
    assert loader.broken == ()
    assert loader.list_skills() == [name]
    assert loader.get_descriptions() == f"- {name}: {description}"
    assert loader.get_skill(name).body == "Body"


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        ("", 1, "begin with a line of ---"),
        ("# Title\n---\nname: a\n---\n", 1, "begin with a line of ---"),
        ("---\nname: a\ndescription: x\n", 4, "not closed"),
        ("---\n" + "x: y\n" * 1000 + "---\n", 500, "not closed"),
        ("---\nname: a\n---\nBody", 1, "no description"),
        ("---\nname: a\ndescription:\n---\nBody", 3, "no description"),
        ("---\nname: a\ndescription: [x, y]\n---\nBody", 3, "no description"),
        ("---\njust words\n---\nBody", 2, "name: …"),
        ("---\n---\nBody", 2, "name: …"),
        ("---\nname: a\ndescription: x\nother: y\n  - : bad: [\n---\n", 5, ""),
        ("---\nname: a\n\tdescription: x\n---\n", 3, ""),
        ("---\nname: a\nx: " + "[" * 5000 + "\ndescription: x\n---\n", None, None),
        (b"---\nname: a\ndescription: \xc4\xe3\n---\n", 3, "not UTF-8"),
        (b"\xff\xfe-\0-\0", 1, "not UTF-8"),
        (b"---\nname: a\n" + b"x" * 2_000_000, 1, "1000000 bytes"),
    ],
)
def test_a_broken_one_is_listed_with_file_and_line_and_the_others_load(folder, content, line, why):
    add(folder, "bad", content)
    add(folder, "good", plain("good"))
    add(folder, "zeta", plain("zeta"))
    loader = SkillLoader(folder)
    if line is None:  # Whether it can be read is a matter of taste; that it harms nobody is not.
        assert {"good", "zeta"} <= set(loader.list_skills())
        return
    assert loader.list_skills() == ["good", "zeta"]
    (broken,) = loader.broken
    assert broken.path == folder / "bad" / "SKILL.md"
    assert broken.line == line, broken.why
    assert why in broken.why
    assert str(broken).startswith(f"{folder / 'bad' / 'SKILL.md'}:{line}: ")


def test_rules_in_the_body_stay(folder):
    body = "One\n\n---\n\nTwo\n---\n| a |\n|---|"
    add(folder, "a", plain("a", body=body))
    assert SkillLoader(folder).get_skill("a").body == body


def test_two_of_one_name(folder):
    add(folder, "a", plain("same", "first"))
    add(folder, "b", plain("same", "second"))
    loader = SkillLoader(folder)
    assert loader.get_descriptions() == "- same: first"
    assert "taken by a" in loader.broken[0].why


# --- loading -----------------------------------------------------------------------------------------------------


def test_nothing_is_read_before_it_is_asked_for(folder):
    loader = SkillLoader(folder)
    add(folder, "a", plain("a", body="first"))
    assert loader.list_skills() == ["a"]
    add(folder, "a", plain("a", "other", "second"))
    add(folder, "b", plain("b"))
    assert loader.get_skill("a").body == "second"
    assert loader.list_skills() == ["a"]
    loader.reload()
    assert loader.list_skills() == ["a", "b"]
    (folder / "a" / "SKILL.md").unlink()
    assert loader.get_skill("a") is None
    assert SkillLoader(folder / "none").list_skills() == []
    assert SkillLoader(folder / "none").get_descriptions() == ""


def test_what_a_model_is_told_of_skills_is_new_after_a_reload(folder):
    add(folder, "a", plain("a"))
    loader = SkillLoader(folder)
    registry = ToolRegistry()
    registry.register_tool(SkillTool(loader))
    view = registry.view().view()

    def told(tools):
        return tools.schemas()[0]["function"]["description"]

    assert "- a:" in told(view)
    assert view.schemas() is view.schemas()
    add(folder, "b", plain("b"))
    assert "- b:" not in told(view)
    loader.reload()
    assert "- b:" in told(view)
    assert told(registry) == told(view)
    before = view.schemas()
    registry.unregister("Skill")
    assert before
    assert view.schemas() == ()


def test_an_agent_tells_of_the_skills_there_are_after_a_reload(folder):
    add(folder, "a", plain("a"))
    asked = []

    class Watched(ScriptedLLM):
        def stream(self, request):
            asked.append(request.tools[-1]["function"]["description"])
            return super().stream(request)

    agent = SimpleAgent("x", Watched("1", "2"), config=Config(skills_enabled=True, skills_dir=str(folder)))
    agent.run("one")
    add(folder, "b", plain("b"))
    agent.skill_loader.reload()
    agent.run("two")
    assert ["- b:" in description for description in asked] == [False, True]


def test_the_parts_of_a_skill(folder):
    add(
        folder,
        "pdf",
        plain("pdf"),
        scripts__fill__form="x",
        scripts__a="x",
        references__forms="x",
        references__deep__b="x",
        **{"references__.hidden": "x"},
    )
    skill = SkillLoader(folder).get_skill("pdf")
    assert isinstance(skill, Skill)
    assert (skill.name, skill.path, skill.dir) == ("pdf", folder / "pdf" / "SKILL.md", folder / "pdf")
    assert [path.relative_to(skill.dir).as_posix() for path in skill.scripts] == ["scripts/a", "scripts/fill/form"]
    assert [path.name for path in skill.references] == ["b", "forms"]
    assert skill.examples == []


def test_links_do_not_lead_out(folder, tmp_path):
    add(tmp_path, "outside", plain("outside"), scripts__secret="x")
    add(folder, "a", plain("a"), scripts__own="x")
    (folder / "linked").symlink_to(tmp_path / "outside")
    (folder / "b").mkdir()
    (folder / "b" / "SKILL.md").symlink_to(tmp_path / "outside" / "SKILL.md")
    (folder / "a" / "scripts" / "out").symlink_to(tmp_path / "outside" / "scripts" / "secret")
    (folder / "a" / "examples").symlink_to(tmp_path / "outside" / "scripts")
    os.mkfifo(folder / "a" / "scripts" / "pipe")
    loader = SkillLoader(folder)
    assert loader.list_skills() == ["a"]
    assert [broken.path.parent.name for broken in loader.broken] == ["b", "linked"]
    skill = loader.get_skill("a")
    assert [path.name for path in (*skill.scripts, *skill.examples)] == ["own"]
    for name in ("../outside", "outside", "..", "/", "a/../a", ""):
        assert loader.get_skill(name) is None


def test_a_folder_that_is_reached_through_a_link(folder, tmp_path):
    add(folder, "a", plain("a"), scripts__own="x")
    (tmp_path / "door").symlink_to(folder)
    loader = SkillLoader(tmp_path / "door")
    assert SkillTool(loader).run({"skill": "a"}).data["files"] == [(tmp_path / "door/a/scripts/own").as_posix()]


# --- the tool ----------------------------------------------------------------------------------------------------


@pytest.fixture
def tool(folder):
    add(folder, "pdf", plain("pdf", "Fills forms: PDF", "Fill $ARGUMENTS.\nThen check $ARGUMENTS."), scripts__fill="x")
    add(folder, "poem", plain("写诗", "写诗"))
    add(folder, "bad", "no head")
    return SkillTool(SkillLoader(folder))


def test_descriptions_come_first(tool):
    registry = ToolRegistry()
    registry.register_tool(tool)
    (schema,) = registry.schemas()
    assert schema["function"]["name"] == "Skill"
    assert schema["function"]["description"].endswith("Skills:\n- pdf: Fills forms: PDF\n- 写诗: 写诗")
    assert "Fill $ARGUMENTS" not in str(schema)
    assert schema["function"]["parameters"]["required"] == ["skill"]
    assert (
        SkillTool(SkillLoader("nowhere"), language="zh")
        .to_openai_schema()["function"]["description"]
        .endswith("（无）")
    )


def test_a_body_comes_on_demand(tool, folder):
    registry = ToolRegistry()
    registry.register_tool(tool)

    def ask(**arguments):
        return registry.answer(ToolCall("1", "Skill", arguments))

    files = f"\n\nFiles of this skill:\n- {folder.as_posix()}/pdf/scripts/fill"
    assert ask(skill="pdf", args="a$1.pdf").content == "Fill a$1.pdf.\nThen check a$1.pdf." + files
    assert ask(skill="pdf").content == "Fill .\nThen check ." + files
    assert ask(skill="写诗").content == "Do it."
    assert ask(skill="写诗", args="月").content == "Do it.\n\nArguments: 月"


def test_what_is_not_there(tool):
    near = tool.run({"skill": "pfd"})
    assert (near.code, near.text) == ("NOT_FOUND", "There is no skill 'pfd'. Use one of: pdf, 写诗.")
    broken = tool.run({"skill": "bad"})
    assert broken.code == "NOT_FOUND"
    assert "bad/SKILL.md, line 1: the file must begin with a line of ---" in broken.text
    assert "none at all" in SkillTool(SkillLoader("nowhere")).run({"skill": "x"}).text
