"""Files as documents: encodings, notebooks, and what `markitdown` reads."""

import io
import json
import subprocess
import sys
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hello_agents.memory import LoadFault, load_document
from hello_agents.memory.loading import convert, decoded, document_of

TEXT = "# 标题\n\n麻婆豆腐 and tofu, é\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (TEXT.encode("utf-8"), None),
        (TEXT.encode("utf-8-sig"), None),
        (TEXT.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16"),
        (TEXT.encode("gb18030"), "gb18030"),
        (b"", None),
    ],
)
def test_encodings(tmp_path, content, encoding):
    path = tmp_path / "菜谱.md"
    path.write_bytes(content)
    document = load_document(path)
    assert document.text == (TEXT if content else "")
    assert document.metadata.get("encoding") == encoding
    assert (document.id, document.name, document.form) == ("菜谱.md", "菜谱.md", "markdown")


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02", b"text\x00", b"caf\xe9 \xff", b"\xff\xfe\x00", b"\xff\xfe\x00\xd8"]
)
def test_what_is_no_text(content):
    with pytest.raises(LoadFault, match=r"'x\.txt' is no text .* Convert it"):
        decoded(content, "x.txt")


@given(st.text().filter(lambda text: "\0" not in text and not text.startswith("\ufeff")))
def test_line_ends_and_everything_else_stay(text):
    assert document_of(text.encode("utf-8"), "a/b.txt").text == text


def test_plain_text_has_no_headings():
    assert document_of(b"# not a heading", "src/x.py").form == "text"


def test_a_folder_or_no_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        load_document(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_document(tmp_path / "none.md")


# --- notebooks ----------------------------------------------------------------------------------------------------


def notebook(*cells, **metadata):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}).encode()


NOTEBOOK = notebook(
    {"cell_type": "markdown", "source": ["# Loops\n", "\n", "About loops."]},
    {"cell_type": "code", "source": "", "outputs": []},
    {
        "cell_type": "code",
        "source": ["# no heading\n", "print('```')"],
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["printed\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "42", "image/png": "xx"}},
            {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []},
            {"output_type": "display_data", "data": {"image/png": "xx"}},
        ],
    },
    language_info={"name": "python"},
)


def test_a_notebook():
    document = document_of(NOTEBOOK, "loops.ipynb")
    assert document.text == "# Loops\n\nAbout loops.\n\n````python\n# no heading\nprint('```')\n````\n\n"
    assert document.metadata == {"cells": [1, 5, 5]}
    assert document.form == "markdown"


def test_a_notebook_with_outputs():
    text = document_of(NOTEBOOK, "loops.ipynb", outputs=True).text
    assert text.endswith("```text\nprinted\n```\n\n```text\n42\n```\n\n```text\nValueError: no\n```\n\n")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"cells": []}', b'{"nbformat": 3, "cells": []}', notebook({"cell_type": "x"}), notebook(3)],
)
def test_what_is_no_notebook(content):
    with pytest.raises(LoadFault, match=r"'x\.ipynb' (is no notebook|has a cell that is none)"):
        document_of(content, "x.ipynb")


# --- markitdown ---------------------------------------------------------------------------------------------------


def docx(text):
    """The least that Word opens."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{relation}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
        f"<w:r><w:t>Recipe</w:t></w:r></w:p><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return packed.getvalue()


def pdf(text):
    """One page with one line."""
    drawing = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream",
    ]
    written, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return f"{written}xref\n0 5\n0000000000 65535 f \n{table}{end}".encode("latin-1")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("recipe.docx", docx("Soak the tofu. 麻婆豆腐"), "Soak the tofu. 麻婆豆腐"),
        ("recipe.pdf", pdf("Soak the tofu in salted water."), "Soak the tofu in salted water."),
        (
            "recipe.html",
            "<h1>Recipe</h1><p>Soak the tofu. 麻婆豆腐</p>".encode(),
            "# Recipe\n\nSoak the tofu. 麻婆豆腐",
        ),
    ],
)
def test_office_and_pdf(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    document = load_document(path)
    assert said in document.text
    assert document.form == "markdown"


def test_a_table():
    written = convert("dish,price\n麻婆豆腐,3\n".encode(), "menu.csv")
    assert written.split("\n")[::2] == [
        "| dish | price |",
        "| 麻婆豆腐 | 3 |",
    ]


@pytest.mark.parametrize("content", [b"this is none", b"PK\x03\x04 and no more", b"%PDF-1.4 and no more", b""])
@pytest.mark.parametrize("name", ["x.docx", "x.pdf"])
def test_a_broken_file(name, content):
    with pytest.raises(LoadFault, match=f"'{name}' cannot be read as "):
        document_of(content, name)


def test_a_kind_of_file_whose_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pptx", None)
    with pytest.raises(ImportError, match=r"'x\.pptx' needs a package .* or save the \.pptx as Markdown"):
        document_of(docx("text"), "x.pptx")


def test_without_the_package(tmp_path):
    (tmp_path / "x.pdf").write_bytes(pdf("text"))
    code = (
        "import sys; sys.modules['markitdown'] = None; from hello_agents.memory import load_document\n"
        "try: load_document('x.pdf')\nexcept ImportError as error: print(error)"
    )
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{code}"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (
        "Reading 'x.pdf' needs a package that is not installed. Run `pip install 'hello-agents-book[documents]'`"
        in (done.stdout)
    )
