"""What holds for every widget on a reader's screen: axe, focus, motion, room, and errors that are told."""

from __future__ import annotations

from typing import Any

import pytest
from browser.test_accessibility import faults, page  # noqa: F401 (a fixture)
from widgets.page import show
from widgets.test_all_widgets import MAKERS, made

every = pytest.mark.parametrize("name", MAKERS)
light = pytest.mark.parametrize("page", ["light"], indirect=True)

REACHED = """() => {
    const here = document.activeElement;
    if (!here || !here.closest('.hai')) return null;
    const look = getComputedStyle(here);
    const box = here.getBoundingClientRect();
    return {
        what: here.outerHTML.slice(0, 160),
        named: Boolean(here.textContent.trim() || here.getAttribute('aria-label') || here.labels?.length || here.title),
        ring: look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2,
        seen: box.width > 3 && box.height > 3 && look.visibility === 'visible',
    };
}"""
"""What has the focus: whether it has a name, whether it shows that it has the focus, and whether it can be seen."""

CUT = """() => [...document.querySelectorAll('.hai *')].filter((one) => {
    const look = getComputedStyle(one);
    const cuts = look.textOverflow === 'ellipsis' && look.overflowX === 'hidden' && look.visibility === 'visible';
    const told = one.closest('[title]') || one.querySelector('[title]');
    return cuts && !told && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.outerHTML.slice(0, 200))"""
"""Texts that end in … although nothing tells the reader how they go on."""

SPILLED = """() => {
    const whole = document.querySelector('.hai').getBoundingClientRect();
    const shown = (one) => {
        for (let up = one.parentElement; up && !up.matches('.hai'); up = up.parentElement)
            if (getComputedStyle(up).overflowX !== 'visible') return false;
        return one.getBoundingClientRect().width > 1;
    };
    const out = (one) => one.getBoundingClientRect().right > whole.right + 1 && shown(one);
    return [...document.querySelectorAll('.hai *')].filter(out).map((one) => one.outerHTML.slice(0, 200));
}"""
"""What sticks out of the widget on the right."""


@every
@light
def test_an_error_is_told_in_the_widget(page: Any, name: str) -> None:  # noqa: F811
    widget = made(name)
    widget.dispatch({"op": "dance"})
    show(page, widget)
    alert = page.get_by_role("alert")
    assert widget.error in alert.inner_text()
    assert faults(page) == []
    alert.get_by_role("button").click()
    alert.wait_for(state="detached")
    assert widget.error == ""


@every
@pytest.mark.parametrize("width", [420, 700, 1100])
def test_nothing_sticks_out_or_is_cut_without_saying_so(page: Any, name: str, width: int) -> None:  # noqa: F811
    """In a phone's width, in a notebook beside a side bar, and in a wide one; and axe has nothing to say."""
    page.set_viewport_size({"width": width + 48, "height": 900})
    show(page, made(name), dark=page.dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= width + 48
    assert page.evaluate(SPILLED) == []
    assert page.evaluate(CUT) == []
    assert faults(page) == []


@every
@light
def test_whatever_tab_comes_to_has_a_name_and_shows_that_it_has_the_focus(page: Any, name: str) -> None:  # noqa: F811
    show(page, made(name))
    page.evaluate("document.querySelector('.hai').insertAdjacentHTML('beforebegin', '<button id=before>.</button>')")
    page.locator("#before").focus()
    reached: list[dict[str, Any]] = []
    for _ in range(150):
        page.keyboard.press("Tab")
        here = page.evaluate(REACHED)
        if here is None:
            break
        reached.append(here)
    assert here is None, "there is a way out"
    assert len(reached) > 2
    for what in ("named", "ring", "seen"):
        assert [one["what"] for one in reached if not one[what]] == [], what


@every
@light
def test_controls_of_the_mouse_are_controls_of_the_keyboard(page: Any, name: str) -> None:  # noqa: F811
    """Of what can be clicked, each is a button or a field, or there is a button that does the same."""
    show(page, made(name))
    lost = page.evaluate(
        """() => {
            const own = (one) => one.matches('button, input, select, textarea, summary, a');
            const does = (one) => `${one.dataset.op} ${(one.dataset.arg || '').split(' ')[0]}`;
            const all = [...document.querySelectorAll('.hai [data-op]')];
            const known = new Set(all.filter(own).map(does));
            return all.filter((one) => !own(one) && !known.has(does(one))).map((one) => one.outerHTML.slice(0, 160));
        }"""
    )
    # Folding is on the arrows of the row; a block of spans is on + and -, and the summary on Escape.
    assert [one for one in lost if not any(f'data-op="{op}"' in one for op in ("fold", "block"))] == [
        one for one in lost if 'data-arg=""' in one and 'data-op="open"' in one
    ]


@every
@light
def test_who_asked_for_less_motion_gets_none(page: Any, name: str) -> None:  # noqa: F811
    page.emulate_media(reduced_motion="reduce")
    show(page, made(name))
    page.evaluate(
        """() => {
            window.moved = 0;
            const animate = Element.prototype.animate;
            Element.prototype.animate = function (...given) { window.moved += 1; return animate.apply(this, given); };
        }"""
    )
    for button in page.locator(".hai button:not([disabled]):visible").all()[:12]:
        if button.is_visible() and button.is_enabled():
            button.click()
    page.wait_for_timeout(50)
    assert page.evaluate("window.moved") == 0
    assert page.evaluate("document.getAnimations().length") == 0
