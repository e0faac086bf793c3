"""The book's site: Sphinx on the chapters as they are stored, with every script and style in the folder that it makes.

Two settings come from the environment, and both may be absent: `BOOK_URL`, where the site will stand, and
`BOOK_REPOSITORY`, the address of a public repository, which adds links to Colab, Binder and the source.

With the tag `zh` it is the Chinese edition, made of the same pages and of the catalogues below `zh/`, for the folder
`zh` of the site.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import distribution
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(ROOT / "widgets"), str(HERE / "_ext")]

from editions import CHINESE_PAGES  # noqa: E402

from hello_agents.version import __version__  # noqa: E402

CHINESE = tags.has("zh")  # noqa: F821

BOOK_URL = os.environ.get("BOOK_URL", "")
REPOSITORY = os.environ.get("BOOK_REPOSITORY", "")

project = "Hello Agents"
author = "the authors of Hello Agents"
copyright = "Code under the Apache License 2.0, chapters and texts under CC BY 4.0"
version = release = __version__
language = "zh_CN" if CHINESE else "en"
locale_dirs = ["zh/locale"]
gettext_compact = False
gettext_location = False
translation_progress_classes = "untranslated" if CHINESE else False

extensions = ["myst_nb", "sphinx.ext.autodoc", "staging", "editions", "bilingual_search"]
exclude_patterns = ["_build", "node_modules", "_ext", "zh"]
if CHINESE:
    author = "Hello Agents 的作者们"
    copyright = "代码采用 Apache License 2.0 许可，各章与文字采用 CC BY 4.0 许可"
    exclude_patterns += ["404.md", "api/hello_agents*"]

# Chapters are shown as they are stored; the checks see to it that this is what a run gives.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# The widget manager, from this folder and not from a CDN. require.js comes first, and is told where anywidget is.
_SCRIPTS = HERE / "node_modules"
_ANYWIDGET = Path(str(distribution("anywidget").locate_file("anywidget/nbextension/index.js")))
nb_ipywidgets_js = {
    "require.js": {},
    "widgets.js": {},
    # Where a widget of a third party would come from: nowhere.
    "embed-amd.js": {"data-jupyter-widgets-cdn": "_static/"},
}

html_theme = "sphinx_book_theme"
html_title = "Hello Agents"
html_baseurl = f"{BOOK_URL}zh/" if CHINESE and BOOK_URL else BOOK_URL
html_use_index = not CHINESE
html_static_path = [
    "_static",
    str(_SCRIPTS / "requirejs" / "require.js"),
    str(_SCRIPTS / "@jupyter-widgets" / "html-manager" / "dist" / "embed-amd.js"),
    str(_ANYWIDGET),
]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_favicon = "_static/mark.svg"
html_logo = "_static/mark.svg"
templates_path = ["_templates"]
html_copy_source = True
html_sourcelink_suffix = ""
html_search_language = "en"
html_last_updated_fmt = None
html_permalinks_icon = "#"
html_context = {"book_url": BOOK_URL, "default_mode": "auto", "chinese": CHINESE, "chinese_pages": CHINESE_PAGES}
html_theme_options = {
    "logo": {"text": "Hello Agents"},
    "article_header_end": ["notebook-link", "language-switch", "article-header-buttons"],
    "navbar_persistent": [],
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if CHINESE:
    html_theme_options["search_bar_text"] = "搜索…"
if REPOSITORY:
    html_theme_options |= {
        "repository_url": REPOSITORY,
        "use_repository_button": True,
        "launch_buttons": {"colab_url": "https://colab.research.google.com", "binderhub_url": "https://mybinder.org"},
    }

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"
python_use_unqualified_type_names = True
