"""What all widgets share: one ES module from several files, one live model a cell, operations, and pictures at rest."""

# ipywidgets has no types; everything that touches it is in this file.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUntypedBaseClass=false, reportIncompatibleVariableOverride=false

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, cast

import anywidget
import traitlets
from ipywidgets import Layout

HERE = Path(__file__).parent

SHARED = ("parts.js", "cards.js", "lists.js", "frame.js")
"""The parts of every widget's module, in the order in which they need each other."""
SHARED_STYLES = ("tokens.css", "cards.css")

_MODEL_NUMBERS = count(1)
_IMPORT = re.compile(r"^import .*?;\n", re.M)
_EXPORT = re.compile(r"^export (?!default)(?:\{[^}]*\};\n)?", re.M)


def module(*names: str) -> str:
    """One ES module out of several files, the widget's own last. anywidget loads a single module and builds nothing."""
    texts = [(HERE / name).read_text(encoding="utf-8") for name in names]
    joined = "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)
    return joined.replace("\nexport default ", "\nconst WIDGET = ") + _MARKED.format(mark=_mark(names[-1]))


_MARKED = """
export default {{
  render(context) {{
    context.el.classList.add("{mark}");
    return WIDGET.render(context);
  }},
}};
"""
"""The element of a widget says whose it is, so that the widget's own rules of style are for nothing else."""


def _mark(name: str) -> str:
    return f"hai-of-{Path(name).stem.replace('_', '-')}"


def style(*names: str) -> str:
    """The style sheets, in order; the rules of those that are not shared hold inside the widget of that name only.

    A page with several widgets has all their sheets at once, the shared ones several times.
    """
    texts = {name: (HERE / name).read_text(encoding="utf-8") for name in names}
    return "\n".join(text if name in SHARED_STYLES else _inside(text, _mark(name)) for name, text in texts.items())


def _inside(sheet: str, mark: str) -> str:
    """The rules of a sheet for elements inside those of this class."""
    rules = re.sub(r"/\*.*?\*/", "", sheet, flags=re.S)
    return _SELECTORS.sub(lambda found: _prefixed(found[0], f".{mark} "), rules)


_SELECTORS = re.compile(r"(?<![^{};])[^{};@]*\.hai[^{};@]*(?=\{)")


def _prefixed(selectors: str, prefix: str) -> str:
    """The selectors of a rule, each with the prefix; a comma in parentheses is part of a selector."""
    return ",".join(re.sub(r"^(\s*)", rf"\1{prefix}", selector) for selector in re.split(r",(?![^()]*\))", selectors))


def plain_trait(start: dict[str, Any]) -> Any:
    """A trait that holds plain JSON and that the page sees."""
    return traitlets.Dict(start).tag(sync=True)


def _model_id() -> dict[str, Any]:
    """A model id from a counter while the book is built, so that its notebooks are the same byte for byte."""
    if os.environ.get("HELLO_AGENTS_BOOK") != "1":
        return {}
    return {"model_id": f"{next(_MODEL_NUMBERS):032x}"}


class BookWidget(anywidget.AnyWidget):
    """A widget around plain JSON: `head`, small and sent whole, and a log of parts, sent once each.

    A subclass gives `_esm` and `_css`, `head_json`, `take` and `perform`.
    """

    head: Any = traitlets.Dict().tag(sync=True)
    """The part that changes, as it was last sent."""
    error: Any = traitlets.Unicode("")
    """What went wrong in the last operation that the reader asked for; empty when nothing did."""

    def __init__(self, subject: object) -> None:
        self.logs: list[dict[str, Any]] = []
        self._answered: dict[str, Any] | None = None
        self._busy = False
        self._turn = 0
        _close_older(self, subject)
        super().__init__(layout=Layout(**_model_id()), **_model_id())
        self.on_msg(self._on_message)
        self.publish()

    # -- what a subclass gives -----------------------------------------------------------------------

    def head_json(self) -> dict[str, Any]:
        """The part that changes, as plain JSON."""
        raise NotImplementedError

    def take(self) -> dict[str, Any] | None:
        """What has been added since the last time, as plain JSON."""
        raise NotImplementedError

    def perform(self, op: str, args: Mapping[str, Any]) -> None:
        """Does what the reader asked for."""
        raise NotImplementedError

    def summary(self) -> str:
        """A stable, readable text: the same for the same content, with no addresses and no times."""
        raise NotImplementedError

    def picture(self) -> str:
        """The widget at rest, as HTML without scripts."""
        raise NotImplementedError

    # -- telling the page ----------------------------------------------------------------------------

    def publish(self) -> None:
        """Sends what is new, and the head, so that the page shows what Python has set.

        During an operation of the reader nothing: when it is over, all of it is sent, once.
        """
        if not self._busy:
            self._turn += 1
            self._tell_all()

    def _tell_all(self) -> None:
        part = self.take()
        if part is not None:
            self.logs.append(part)
            self.send_state(f"log_{len(self.logs) - 1}")
        self.head = {
            **self.head_json(),
            "logs": len(self.logs),
            "error": self.error,
            "busy": self._busy,
            "turn": self._turn,
            "answered": self._answered,
        }

    def get_state(self, key: str | Iterable[str] | None = None, drop_defaults: bool = False) -> dict[str, Any]:
        """The state as it goes over the wire and into a saved notebook: traits, and every part of the log."""
        keys = self.keys if key is None else [key] if isinstance(key, str) else list(key)
        traits = [name for name in keys if not name.startswith("log_")]
        state = cast("dict[str, Any]", super().get_state(traits, drop_defaults)) if traits else {}
        wanted = range(len(self.logs)) if key is None else [int(name[4:]) for name in keys if name.startswith("log_")]
        return state | {f"log_{index}": self.logs[index] for index in wanted}

    @property
    def snapshot(self) -> dict[str, Any]:
        """Everything the widget shows, as plain JSON."""
        whole: dict[str, Any] = {"head": self.head}
        for part in self.logs:
            for name, items in part.items():
                whole.setdefault(name, []).extend(items)
        return whole

    def tell(self, message: Mapping[str, Any]) -> None:
        """Says something to the page once, which is not kept."""
        self.send(dict(message))

    # -- hearing from the page -----------------------------------------------------------------------

    def dispatch(self, message: Mapping[str, Any]) -> None:
        """Does the operation `{"op", "args"}`. An error is shown in the widget and kept in `error`, not raised."""
        if "view" in message:
            self._answered = {"view": message["view"], "n": message.get("n", 0)}
        self._busy = True
        self.head = {**self.head, "busy": True}
        try:
            self.error = ""
            self.perform(str(message.get("op")), message.get("args") or {})
        except Exception as error:
            # Behind an operation are the model and the tools of the reader: foreign code that may fail in any way.
            self.error = f"{type(error).__name__}: {error}"
        finally:
            self._busy = False
            self._tell_all()

    def _on_message(self, _widget: object, content: object, _buffers: object) -> None:
        if isinstance(content, Mapping):
            self.dispatch(cast("Mapping[str, Any]", content))

    # -- at rest -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return self.summary()

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return self._bundle(), {}

    def _bundle(self) -> dict[str, Any]:
        """Picture and text, and the live view for as long as there is one."""
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self.picture()}
        if self.comm is not None:
            bundle[_VIEW] = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return bundle

    def _ipython_display_(self) -> None:
        """Shows the picture, and after it the live view, which takes the picture's place where there is one.

        JupyterLab prefers the live view of a bundle even when its kernel is gone, and then shows an error. So the
        two are outputs of their own: a stored notebook shows the picture wherever the view has no model.
        """
        from IPython.display import publish_display_data

        bundle = self._bundle()
        view = bundle.pop(_VIEW, None)
        bundle["text/html"] = f'<div class="hai-picture">{_TAKES_PLACE}{bundle["text/html"]}</div>'
        publish_display_data(bundle)
        if view is not None:
            publish_display_data({_VIEW: view, "text/plain": f"{type(self).__name__} (live view)"})


_VIEW = "application/vnd.jupyter.widget-view+json"

_PICTURE = ":has(.hai-picture)"
_TAKES_PLACE = (
    "<style>"
    + "".join(
        f"{output}{_PICTURE}:has(+ {output} .hai),{output}{_PICTURE} + {output}:has({waiting}):not(:has(.hai))"
        "{display:none}"
        for output, waiting in ((".jp-OutputArea-child", ".jp-OutputArea-output"), (".cell_output > .output", "script"))
    )
    + "</style>"
)
"""In JupyterLab and on the book's site: the picture makes room for a live view, and a view without a model for it."""


class _Place:
    """What a widget is of, and where it was made: its cell and the execution of that cell, where there is one."""

    def __init__(self, widget: BookWidget, subject: object) -> None:
        # traitlets gives every instance a class of its own later on, so the kind is noted now.
        self.kind = type(widget)
        self.subject = subject
        self.cell, self.execution = _cell()


_LIVE: weakref.WeakKeyDictionary[BookWidget, _Place] = weakref.WeakKeyDictionary()


def _close_older(widget: BookWidget, subject: object) -> None:
    """Closes what this widget takes the place of: those of earlier executions of its cell, and, where cells are
    not known or in the same execution, those of the same kind on the same subject."""
    place = _Place(widget, subject)
    for other, there in list(_LIVE.items()):
        same_cell = place.cell is not None and place.cell == there.cell
        again = same_cell and place.execution != there.execution
        twin = there.kind is place.kind and there.subject is place.subject and (same_cell or place.cell is None)
        if again or twin:
            other.close()
            other.layout.close()
            del _LIVE[other]
    _LIVE[widget] = place


def _cell() -> tuple[str | None, str | None]:
    """The ids of the cell that runs and of this execution of it, as far as the front end tells."""
    import sys

    if "IPython" not in sys.modules:
        return None, None
    from IPython.core.getipython import get_ipython

    shell = cast("Any", get_ipython())
    if shell is None or "ipykernel" not in sys.modules:
        return None, None
    parent = cast("dict[str, Any]", shell.get_parent() or {})
    cell = parent.get("metadata", {}).get("cellId")
    return cell, parent.get("header", {}).get("msg_id")
