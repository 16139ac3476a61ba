"""The report in a real browser, from the disk and with no network, on a desk and on a phone, by day
and by night.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bamdp.comparing.store import Store
from reproduction.experiments import ALL
from reproduction.report import html as page
from reproduction.report.model import build
from reproduction.reproduce import reproduce

pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
from playwright.sync_api import Browser, Page

from browser.chromium import CONTRAST, PATH

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.browser,
    pytest.mark.skipif(
        PATH is None, reason="no Chromium was found: the report is not tested in a browser"
    ),
]
WIDTHS = {"desk": 1360, "phone": 390}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of everything at scale smoke."""
    folder = tmp_path_factory.mktemp("report")
    store = Store(folder / "store")
    reproduce(list(ALL.values()), "smoke", store)
    path = folder / "report.html"
    path.write_text(page.html(build(store.rows(), "smoke")), encoding="utf-8")
    return path


@pytest.fixture(
    params=[(width, scheme) for width in WIDTHS for scheme in ("light", "dark")], ids="-".join
)
def opened(
    request: pytest.FixtureRequest, browser: Browser, written: Path
) -> Iterator[tuple[Page, list[str]]]:
    """The page, and what the browser complained of or asked the network for."""
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": WIDTHS[width], "height": 900}, color_scheme=scheme, offline=True
    )
    tab = context.new_page()
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("requestfailed", lambda asked: complaints.append(f"failed: {asked.url[:80]}"))
    tab.on(
        "request",
        lambda asked: complaints.extend(
            ["asked the network"] * (not asked.url.startswith(("file:", "data:")))
        ),
    )
    tab.goto(written.as_uri())
    tab.wait_for_load_state("load")
    yield tab, complaints
    context.close()


def test_it_opens_without_a_complaint(opened: tuple[Page, list[str]]) -> None:
    tab, complaints = opened
    assert "checked" in tab.locator("h1").inner_text()
    assert tab.evaluate(
        "[...document.images].every(image => image.complete && image.naturalWidth > 0)"
    )
    assert complaints == []


def test_nothing_is_wider_than_the_window(opened: tuple[Page, list[str]]) -> None:
    """Also with all details open: tables scroll in boxes of their own."""
    tab, _ = opened
    tab.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    ends = (
        "[...document.querySelectorAll('figure img')].map(e => e.getBoundingClientRect().right - "
        "innerWidth)"
    )
    assert max(tab.evaluate(ends)) <= 0


def test_texts_can_be_read(opened: tuple[Page, list[str]]) -> None:
    """A contrast of at least 4.5 to 1, as WCAG asks for, with all details open."""
    tab, _ = opened
    tab.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert tab.evaluate(CONTRAST) == []


def test_contents_lead_to_their_sections(opened: tuple[Page, list[str]]) -> None:
    tab, _ = opened
    for link in tab.locator("nav a").all():
        assert tab.locator(link.get_attribute("href") or "").count() == 1
    tab.locator("nav a").last.click()
    assert tab.locator("#reading").is_visible()


def test_day_and_night_differ(browser: Browser, written: Path) -> None:
    colors = set()
    for scheme in ("light", "dark"):
        tab = browser.new_page(color_scheme=scheme)
        tab.goto(written.as_uri())
        colors.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
        tab.close()
    assert len(colors) == 2
