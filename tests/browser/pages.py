"""The viewer's page in a browser: opening it, taking steps, reading it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Request, expect

from bamdp.viewer.stage import WatchSetup
from viewer.serving import serving, show_of

expect.set_options(timeout=30_000)  # milliseconds: a busy machine is no fault

Open = Callable[..., tuple[Page, WatchSetup]]


def failed(request: Request) -> bool:
    """Not because the page was left, or a file saved, meanwhile."""
    return request.failure != "net::ERR_ABORTED"


@contextmanager
def watching(browser: Browser) -> Iterator[Open]:
    """Opens the page of a show; in the end, nothing may have gone wrong in any of them."""
    troubles: list[str] = []
    closers: list[Any] = []

    def opened(words: str, query: str = "", **settings: Any) -> tuple[Page, WatchSetup]:
        show = show_of(words)
        server = serving(show)
        url = server.__enter__()
        page = browser.new_page(**settings)
        closers.extend([lambda: server.__exit__(None, None, None), page.close])
        page.on(
            "console",
            lambda message: (
                troubles.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on(
            "requestfailed",
            lambda request: (
                troubles.append(f"{request.url}: {request.failure}") if failed(request) else None
            ),
        )
        page.goto(url + query)
        expect(page.locator(".chosen").first).to_be_visible()
        return page, show

    try:
        yield opened
    finally:
        for close in reversed(closers):
            close()
    assert not troubles, troubles


def steps(page: Page) -> int:
    return int(page.locator("#at-step").inner_text())


def step(page: Page, count: int = 1) -> None:
    for _ in range(count):
        before = steps(page)
        page.get_by_role("button", name="Step", exact=True).click()
        expect(page.locator("#at-step")).to_have_text(str(before + 1))


def fastest(page: Page) -> None:
    page.get_by_label("Speed").press("End")


def texts(page: Page | Locator, selector: str) -> list[str]:
    return [text.replace("−", "-") for text in page.locator(selector).all_inner_texts()]


def at_step(page: Page, step: int) -> None:
    expect(page.locator("#at-step")).to_have_text(str(step))
