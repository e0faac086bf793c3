"""The exercises of every chapter: the solutions solve them, and the stubs as given get a hint, not an error."""

import re

from notebooks.execute import execute, read

CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def exercises(notebook):
    """For each cell that a reader fills in: its index, and the code of the solution that stands below it."""
    found = []
    for at, cell in enumerate(notebook.cells):
        if "exercise" in cell.metadata.get("tags", ()):
            below = (one for one in notebook.cells[at:] if "solution" in one.metadata.get("tags", ()))
            found.append((at, CODE.search(next(below).source).group(1)))
    return found


def verdicts(notebook):
    """What the checks of the executed notebook say, one line a check."""
    said = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and re.search(r"^check\(", cell.source, re.MULTILINE):
            said.append("".join(output.text for output in cell.outputs if output.output_type == "stream").strip())
    return said


def solve(notebook):
    for at, code in exercises(notebook):
        notebook.cells[at].source = code


def test_every_chapter_has_exercises_with_folded_solutions(chapter):
    notebook = read(chapter)
    # The gallery shows widgets and asks nothing.
    assert chapter.stem == "widgets_gallery" or 2 <= len(exercises(notebook)) <= 4
    for cell in notebook.cells:
        if "solution" in cell.metadata.get("tags", ()):
            assert cell.source.startswith("<details><summary>Solution</summary>\n\n")
            assert cell.source.endswith("</details>")


def test_the_solutions_solve_the_exercises(chapter):
    said = verdicts(execute(chapter, solve))
    assert said == ["Solved."] * len(exercises(read(chapter)))


def test_the_stubs_as_given_get_a_hint(chapter):
    said = verdicts(read(chapter))
    assert len(said) == len(exercises(read(chapter)))
    for line in said:
        assert line.startswith("Not yet. ")
        assert len(line) > len("Not yet. ") + 20
