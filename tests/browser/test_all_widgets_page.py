"""An error behind any widget is told in the widget, and can be put away."""

from __future__ import annotations

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from widgets.page import show
from widgets.test_all_widgets import MAKERS, made


@pytest.mark.parametrize("page", ["light"], indirect=True)
@pytest.mark.parametrize("name", MAKERS)
def test_an_error_is_told_in_the_widget(page, name):  # noqa: F811
    widget = made(name)
    widget.dispatch({"op": "dance"})
    show(page, widget)
    alert = page.get_by_role("alert")
    assert widget.error in alert.inner_text()
    assert faults(page) == []
    alert.get_by_role("button").click()
    alert.wait_for(state="detached")
    assert widget.error == ""
