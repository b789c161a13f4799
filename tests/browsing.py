"""Chromium without a window, for tests that click."""

import shutil
from contextlib import contextmanager

import pytest

ARGUMENTS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --no-first-run"
)


@contextmanager
def chromium():
    """A browser; skips where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed")
    with api.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=ARGUMENTS.split())
        yield running
        running.close()
