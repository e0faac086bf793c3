"""JupyterLab as a reader has it: a real server, and a real page with the few moves that a journey needs."""

from __future__ import annotations

import json
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from notebooks.execute import ROOT, kernel_environment
from playwright.sync_api import Locator, Page

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]

SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # All cells are in the page, so that a test finds a cell without scrolling to it first.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    # The theme is what a test sets, not what the machine prefers.
    "@jupyterlab/apputils-extension/themes": {"adaptive-theme": False, "theme": "JupyterLab Light"},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}

PATIENCE = 60.0
"""Seconds until something that has not happened is taken not to happen."""


class Server:
    """A JupyterLab server on loopback with folders of its own, which serves `root` and has one kernel: this Python."""

    def __init__(self, home: Path, settings: dict[str, dict[str, Any]] | None = None) -> None:
        self.home = home
        self.root = home / "root"
        self.log = home / "server.log"
        self.token = secrets.token_hex(16)
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        self._settings = SETTINGS | (settings or {})

    def start(self) -> None:
        self.root.mkdir(parents=True)
        self.reset_settings()
        self._write_kernel()
        options = {
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": self.port,
            "ServerApp.port_retries": 0,
            "ServerApp.open_browser": False,
            "ServerApp.allow_root": True,
            "ServerApp.root_dir": self.root,
            "IdentityProvider.token": self.token,
            "LabApp.expose_app_in_browser": True,
            "JupyterNotebookApp.expose_app_in_browser": True,
            "LabApp.news_url": None,
        }
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "jupyterlab", *(f"--{name}={value}" for name, value in options.items())],
                cwd=self.root,
                env=kernel_environment(self.home) | self._folders(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._wait()

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, path: str, method: str = "GET") -> Any:
        """The answer of the server's REST interface."""
        request = urllib.request.Request(f"{self.url}{path}", method=method)
        request.add_header("Authorization", f"token {self.token}")
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def stop_kernels(self) -> None:
        for session in self.ask("/api/sessions"):
            self.ask(f"/api/sessions/{session['id']}", "DELETE")

    def _folders(self) -> dict[str, str]:
        names = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        }
        return {name: str(self.home / folder) for name, folder in names.items()} | {"JUPYTER_PREFER_ENV_PATH": "0"}

    def reset_settings(self) -> None:
        """Puts the settings back to what a test expects; a theme that a reader picked stays picked otherwise."""
        for plugin, values in self._settings.items():
            file = self.home / "settings" / f"{plugin}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values), encoding="utf-8")

    def _write_kernel(self) -> None:
        folder = self.home / "data" / "kernels" / "python3"
        folder.mkdir(parents=True)
        launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": launch, "display_name": "Python 3 (ipykernel)", "language": "python"}
        (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")

    def _wait(self) -> None:
        assert self._process is not None
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            try:
                self.ask("/api/status")
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
            else:
                return
        self.stop()
        raise RuntimeError(
            f"JupyterLab did not start:\n{self.log.read_text(encoding='utf-8', errors='replace')[-4000:]}"
        )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Lab:
    """A reader at JupyterLab: opens a notebook, runs it, looks, clicks, saves, reloads."""

    def __init__(self, page: Page, server: Server, name: str) -> None:
        self.page = page
        self.server = server
        self.folder = server.root / name
        """This reader's own copy of the chapters. A test may put more notebooks here before it opens them."""
        self.external: list[str] = []
        """Addresses outside this machine that the page asked for. None should be."""
        self.errors: list[str] = []
        """Exceptions that nothing caught and that came out of a widget's own module, with their stacks."""
        self._workspace = name
        self._open: tuple[str, bool] | None = None
        shutil.copytree(ROOT / "notebooks", self.folder, ignore=shutil.ignore_patterns(".*"))
        page.set_default_timeout(PATIENCE * 1000)
        page.on("request", lambda request: self._look_at(request.url))
        page.on("websocket", lambda socket: self._look_at(socket.url))
        page.on("pageerror", lambda error: self._hear(f"{error}\n{error.stack}"))

    # Moves

    def open_notebook(self, name: str, *, kernel: bool = True) -> Lab:
        """Opens a notebook of this reader's folder and waits until it can be used; without a kernel if so asked."""
        self._open = (name, kernel)
        self._go_to(name, kernel)
        self._wait_for_notebook(kernel=kernel)
        return self

    def _go_to(self, name: str, kernel: bool) -> None:
        self.page.goto(f"{self.server.url}/lab/workspaces/{self._workspace}?reset&token={self.server.token}")
        self._wait_for_app()
        preference = {} if kernel else {"kernelPreference": {"shouldStart": False, "canStart": False}}
        path = f"{self._workspace}/{name}"
        self.execute("docmanager:open", {"path": path, "factory": "Notebook", **preference})

    def run_all(self) -> Lab:
        """Runs every cell and waits for the last one, for the widgets' own messages, and for the page to be drawn."""
        self.execute("notebook:run-all-cells")
        self.wait_for_kernel()
        return self

    def run_cell(self, index: int) -> Lab:
        """Runs one cell (the first is 0, Markdown counted) and waits for it."""
        self._panel(f"panel.content.activeCellIndex = {index}; panel.content.deselectAll()")
        self.execute("notebook:run-cell")
        self.wait_for_kernel()
        return self

    def wait_for_kernel(self) -> None:
        """Waits until the kernel has done all it was asked to do so far."""
        self._panel(
            """const kernel = panel.sessionContext.session?.kernel;
            if (kernel) {
                await kernel.requestKernelInfo();
                while (kernel.status !== 'idle') await new Promise(done => setTimeout(done, 20));
            }
            await new Promise(requestAnimationFrame)"""
        )

    def restart_kernel(self) -> Lab:
        self._panel("await panel.sessionContext.restartKernel()")
        self._wait_for_notebook(kernel=True)
        return self

    def shut_down_kernel(self) -> Lab:
        self._panel("await panel.sessionContext.shutdown()")
        return self

    def save(self) -> Lab:
        self._panel("await panel.context.save()")
        return self

    def reload(self, *, kernel: bool | None = None) -> Lab:
        """Reloads the page and opens the same notebook again, by default with a kernel if it had one."""
        assert self._open is not None, "Open a notebook first."
        name, had = self._open
        return self.open_notebook(name, kernel=had if kernel is None else kernel)

    def theme(self, name: str) -> Lab:
        """Switches the theme: `light` or `dark`."""
        full = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}[name]
        self.execute("apputils:change-theme", {"theme": full})
        self.page.wait_for_selector(f"body[data-jp-theme-name='{full}']", state="attached")
        return self

    def screenshot(self, path: Path, theme: str | None = None, of: Locator | None = None) -> Path:
        """A picture of the page, or of one element of it, for a person to look at."""
        if theme is not None:
            self.theme(theme)
        path.parent.mkdir(parents=True, exist_ok=True)
        if of is None:
            self.page.screenshot(path=path)
        else:
            of.scroll_into_view_if_needed()
            of.screenshot(path=path)
        return path

    def execute(self, command: str, arguments: dict[str, Any] | None = None) -> None:
        """Executes a command of JupyterLab and waits for its end."""
        self._script("await app.commands.execute(command, values)", command=command, values=arguments or {})

    # Looks

    def cell(self, index: int) -> Locator:
        """The cell on the page (the first is 0, Markdown counted)."""
        return self._notebook.locator(".jp-Cell").nth(index)

    def output(self, index: int) -> Locator:
        """The output area of a cell on the page."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def widget(self, selector: str) -> Locator:
        """What matches in the outputs of the open notebook: `lab.widget("[aria-label='Step']").click()`."""
        return self._notebook.locator(".jp-Cell-outputArea").locator(selector)

    def model(self) -> dict[str, Any]:
        """The open notebook as it stands in the page, as JSON."""
        return self._panel("return panel.content.model.toJSON()")

    def stored(self) -> dict[str, Any]:
        """The notebook as it was last saved."""
        assert self._open is not None, "Open a notebook first."
        return json.loads((self.folder / self._open[0]).read_text(encoding="utf-8"))

    def failures(self) -> list[str]:
        """The errors in the outputs of the open notebook."""
        outputs = [output for cell in self.model()["cells"] for output in cell.get("outputs", ())]
        return [f"{o['ename']}: {o['evalue']}" for o in outputs if o["output_type"] == "error"]

    def has_kernel(self) -> bool:
        return bool(self._panel("return !!panel.sessionContext.session?.kernel"))

    # How it is done

    @property
    def _notebook(self) -> Locator:
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook")

    def _look_at(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            self.external.append(url)

    def _hear(self, error: str) -> None:
        """Keeps what came from a module of a widget, which anywidget loads from a blob."""
        if "blob:" in error:
            self.errors.append(error)

    def _wait_for_app(self) -> None:
        self.page.wait_for_function("() => window.jupyterapp !== undefined")
        self._script("await app.restored")

    def _wait_for_notebook(self, *, kernel: bool) -> None:
        """An idle indicator is no sign: it shows before there is a kernel, and Run All then asks which one to take."""
        self._panel("await panel.context.ready; await panel.revealed")
        if kernel:
            self._panel("await panel.sessionContext.ready; await panel.sessionContext.session.kernel.info")

    def _panel(self, body: str) -> Any:
        return self._script(f"const panel = app.shell.currentWidget; {body}")

    def _script(self, body: str, **values: Any) -> Any:
        """Runs JavaScript in the page with `app` and the values in reach, and gives up after a while."""
        names = ", ".join(values)
        outcome = self.page.evaluate(
            f"""async ({{patience, given}}) => {{
                const {{{names}}} = given;
                const app = window.jupyterapp;
                const work = (async () => {{ {body} }})();
                const late = new Promise((_, no) => setTimeout(() => no(new Error('not done in time')), patience));
                return await Promise.race([work, late]);
            }}""",
            {"patience": PATIENCE * 1000, "given": values},
        )
        return outcome


class Notebook(Lab):
    """A reader at Notebook 7: the same server and the same parts, one notebook a page."""

    def _go_to(self, name: str, kernel: bool) -> None:
        assert kernel, "Notebook 7 starts a kernel with each notebook."
        self.page.goto(f"{self.server.url}/notebooks/{self._workspace}/{name}?token={self.server.token}")
        self._wait_for_app()
        self._script("while (!app.shell.currentWidget?.context) await new Promise(requestAnimationFrame)")
