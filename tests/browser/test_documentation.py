"""The pages of the documentation in a real browser: none scrolls sideways, at any width."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
pytest.importorskip("sphinx", reason="the documentation needs Sphinx: make docs")
from playwright.sync_api import Browser

from browser.chromium import PATH
from reference.documents import ROOT

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.browser,
    pytest.mark.skipif(PATH is None, reason="no Chromium is installed"),
]

WIDTHS = (320, 390, 800, 1200, 1300, 1400, 1500, 1600, 2560)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("docs")
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", str(ROOT / "docs"), str(folder)], check=True
    )
    return sorted(folder.rglob("*.html"))


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_scrolls_sideways(width: int, pages: list[Path], browser: Browser) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    wide = []
    for path in pages:
        page.goto(path.as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(path.name)
    page.close()
    assert wide == []
