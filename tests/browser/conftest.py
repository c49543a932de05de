"""A real browser before a real ``tuqa serve``: run by ``make test-browser``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from support.samples import ROOT
from support.shell import environment
from support.web import find_port

from trustuqa_neo4j import Settings

TOKEN = "a-token-of-the-browser-tests"
WIDE, NARROW = 1280, 360

# In milliseconds. The first load waits for indexes, and the machine may be busy.
TIMEOUT = 180_000
expect.set_options(timeout=TIMEOUT)

# Nothing but the page may use the network.
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="session")
def address(server: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that may load and teach, in a process of its own."""
    home = tmp_path_factory.mktemp("serve")
    own = {"TUQA_HOME": str(home), "TUQA_SERVE_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
    script = Path(sys.executable).with_name("tuqa")
    log = home / "errors.txt"
    words = [
        str(script),
        "serve",
        "--port",
        str(find_port()),
        "--allow-load",
        "--allow-teach",
    ]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(server) | own,
            cwd=ROOT,  # files are read where the tests load them from
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        label, _, printed = process.stdout.readline().partition(" ")
        assert label == "page:", log.read_text()
        yield printed.strip().partition("?")[0].rstrip("/")
        process.terminate()
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    assert path, "no chromium: on Debian and Ubuntu, apt install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        yield browser
        browser.close()


@pytest.fixture(params=[(WIDE, "light")], ids=lambda size: f"{size[0]}-{size[1]}")
def context(
    browser: Browser, address: str, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    """A browser that has opened the printed address; no request of a test leaves the host."""
    width, scheme = request.param
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    urls: list[str] = []
    errors: list[str] = []
    context.on("request", lambda sent: urls.append(sent.url))
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield context
    context.close()
    local = (f"{address}/", "data:")
    assert urls
    assert [url for url in urls if not url.startswith(local)] == []
    assert errors == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(f"/?token={TOKEN}")
    assert "token" not in page.url
    return page
