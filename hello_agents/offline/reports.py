"""Reports: what was listed and read, put together as one text. Nothing is added to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..catalogue import TEXTS
from ..catalogue import text as catalogue_text
from . import finding
from .frames import unframed

FILE = "report.md"
"""Where a report goes that is to be saved, and the request does not say where."""

EXCERPT = 600
"""Characters of a text that are quoted."""

_ASKED = re.compile(
    r"\b(?:write|generate|make|create|produce|prepare|give|compile|save|put|do)\b[^.\n]{0,60}\breport\b"
    r"|(?:生成|写|撰写|输出|给出|做|出|整理|形成|创建|保存)[^。\n]{0,16}报告",
    re.IGNORECASE,
)
_SAVED = re.compile(
    r"\bfile\b|\b(?:save|store)\b|文件(?!结构|列表|目录|夹|内容)|保存|存成|存为|写入|写到|写成", re.IGNORECASE
)
_INTO = re.compile(
    r"(?:\b(?:to|into|in|as|called|named)\b|到|为|成|入|叫|名为)\s*(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s*|文件\s*)?[`'\"“]?$",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^(?P<name>[^\s(（].*?)(?:\s*[(（]\d[^()（）]*[)）])?$")


@dataclass(frozen=True, slots=True)
class Source:
    """Something a report is made from."""

    name: str
    """A path, a place, a question: what the text is about."""
    text: str
    listing: bool = False


def asked(request: str) -> bool:
    """Whether a request is for a report, not just for a file that is called so."""
    for name in (*finding.quoted(request), *finding.file_paths(request)):
        request = request.replace(name, " ")
    return _ASKED.search(request) is not None


def target(request: str) -> str | None:
    """The file that a report is to be saved in: the one named, `report.md` when only a file is spoken of."""
    for path in reversed(finding.file_paths(request)):
        if _INTO.search(request[: request.rindex(path)]):
            return path
    return FILE if _SAVED.search(_without_files(request)) else None


def saving(request: str) -> bool:
    """Whether a request is to keep something in a file."""
    return _SAVED.search(request) is not None


def known(question: str, text: str) -> Source:
    """What an earlier question has given, as a source."""
    if frame := unframed("offline.listing", text):
        here = frame.values["name"] in TEXTS["offline.here"].values()
        return Source("." if here else frame.values["name"], frame.values["text"], True)
    if frame := unframed("read.listing", text.partition("\n")[0]):
        return Source(frame.values["path"], text, True)
    return Source(question.strip(" ?？。."), text)


def subject(request: str) -> str:
    """The request without the file that the report goes into."""
    path = target(request)
    return request if path is None else request.replace(path, " ")


def report(sources: Sequence[Source], language: str) -> str:
    """The report on some sources, one after the other."""
    return "\n\n".join(
        _on_folder(source, language) if source.listing else _on_text(source, language) for source in sources
    )


def entries(text: str) -> list[str]:
    """The lines of a listing, without its head."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and (unframed("read.listing", lines[0]) or lines[0].endswith((":", "："))):
        lines = lines[1:]
    return lines


def is_listing(text: str) -> bool:
    """Whether a result of a tool that reads as well as lists is a listing."""
    return unframed("read.listing", text.partition("\n")[0]) is not None


def _without_files(request: str) -> str:
    for path in finding.file_paths(request):
        request = request.replace(path, " ")
    return request


def _on_folder(source: Source, language: str) -> str:
    folders: list[str] = []
    files: list[str] = []
    kinds: Counter[str] = Counter()
    for line in entries(source.text):
        match = _ENTRY.match(line)
        name = match["name"] if match else line
        (folders if name.endswith("/") else files).append(line)
        if not name.endswith("/"):
            kinds[name.rpartition(".")[1] + name.rpartition(".")[2] if "." in name.lstrip(".") else name] += 1
    here = source.name in (".", "./", "")
    head = "offline.report.project" if here else "offline.report.folder"
    lines = [catalogue_text(head, language, name=source.name, folders=len(folders), files=len(files))]
    comma = catalogue_text("offline.comma", language)
    for key, names in (("offline.report.folders", folders), ("offline.report.files", files)):
        if names:
            lines.append(catalogue_text(key, language, names=comma.join(names)))
    if len(kinds) > 1:
        counted = comma.join(f"{kind} × {count}" for kind, count in sorted(kinds.items()))
        lines.append(catalogue_text("offline.report.kinds", language, kinds=counted))
    if folders:
        lines.append(catalogue_text("offline.report.top", language))
    return "\n".join(lines)


def _on_text(source: Source, language: str) -> str:
    text = source.text.strip()
    shown = text if len(text) <= EXCERPT else text[:EXCERPT].rstrip() + " …"
    count = len(text.splitlines())
    return catalogue_text("offline.report.text", language, name=source.name, lines=count, text=shown)
