"""JupyterLab itself: a notebook opens, runs, is saved and reloaded, and every chapter runs in it."""

import pytest
from notebooks.conftest import CHAPTERS, write_notebook

CELLS = [
    "import ipywidgets as widgets\nprint('北京')",
    "slider = widgets.IntSlider(value=3, max=9, description='how many')\nslider",
    """heard = widgets.Label('nothing yet')
slider.observe(lambda change: setattr(heard, 'value', f'{change.new} of 9'), 'value')
heard""",
    "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.figure(figsize=(2, 1))\n_ = plt.plot([1, 4, 9])",
]


@pytest.fixture
def opened(lab):
    """A reader who has opened a notebook with a widget that talks to the kernel, and has run nothing."""
    write_notebook(lab.folder / "90_small.ipynb", CELLS)
    return lab.open_notebook("90_small.ipynb")


def test_run_all_shows_text_widgets_and_pictures(opened):
    opened.run_all()
    assert opened.failures() == []
    assert "北京" in opened.output(1).inner_text()
    opened.output(2).get_by_text("how many").wait_for()
    opened.output(4).locator("img").wait_for()
    assert [cell.get("execution_count") for cell in opened.model()["cells"][1:]] == [1, 2, 3, 4]


def test_a_widget_reaches_the_kernel_and_back(opened):
    opened.run_all()
    opened.widget(".noUi-handle").focus()
    opened.page.keyboard.press("ArrowRight")
    opened.output(3).get_by_text("4 of 9").wait_for()


@pytest.mark.more
def test_what_was_run_is_saved_and_there_after_a_reload(opened):
    opened.run_all().save()
    assert opened.stored()["cells"][1]["outputs"][0]["text"] == ["北京\n"]
    opened.shut_down_kernel().reload(kernel=False)
    assert not opened.has_kernel()
    assert "北京" in opened.output(1).inner_text()
    opened.output(4).locator("img").wait_for()


@pytest.mark.more
def test_an_error_in_a_cell_is_seen(lab):
    write_notebook(lab.folder / "91_fails.ipynb", ["1 / 0"])
    lab.open_notebook("91_fails.ipynb").run_all()
    assert lab.failures() == ["ZeroDivisionError: division by zero"]


@pytest.mark.more
def test_both_themes_can_be_looked_at(opened, tmp_path):
    opened.run_all()
    light = opened.screenshot(tmp_path / "light.png", "light")
    dark = opened.screenshot(tmp_path / "dark.png", "dark", of=opened.output(2))
    assert light.stat().st_size > 1000
    assert dark.stat().st_size > 200


@pytest.mark.more
def test_what_goes_wrong_in_a_widget_is_heard(lab):
    cells = [
        """import anywidget
class Thrower(anywidget.AnyWidget):
    _esm = "export default {render({el}) {el.textContent = 'thrower'; el.onclick = () => {throw new Error('ouch')}}}"
Thrower()"""
    ]
    write_notebook(lab.folder / "92_throws.ipynb", cells)
    lab.open_notebook("92_throws.ipynb").run_all()
    lab.output(1).get_by_text("thrower").click()
    assert "ouch" in lab.errors.pop()


@pytest.mark.more
def test_what_is_asked_of_another_machine_is_heard(lab):
    cells = ['from IPython.display import HTML\nHTML(\'<img src="https://example.org/pixel.png" alt="gone">\')']
    write_notebook(lab.folder / "93_asks.ipynb", cells)
    lab.open_notebook("93_asks.ipynb").run_all()
    lab.output(1).get_by_alt_text("gone").wait_for(state="attached")
    while not lab.external:
        lab.page.wait_for_timeout(50)
    lab.page.goto("about:blank")  # Drawn again, the picture is asked for again; here it no longer is.
    assert set(lab.external) == {"https://example.org/pixel.png"}
    lab.external.clear()


@pytest.mark.more
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_runs_from_top_to_bottom(lab, chapter):
    lab.open_notebook(chapter.name).run_all()
    assert lab.failures() == []
