"""The page in a real browser: every word explained, Gymnasium's worlds, and its looks at all widths, light and dark."""

import json

import pytest

from bamdp.viewer.watched import WatchedRun

pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
from playwright.sync_api import expect

from browser.chromium import CONTRAST, PATH
from browser.pages import Open, at_step, step, texts

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.browser,
    pytest.mark.skipif(PATH is None, reason="no Chromium was found: the page is not tested in a browser"),
]

GRID = "grid5 bayes-adaptive:simulations=100 --seed 3"
LAKE = "gym:FrozenLake-v1 bayes-adaptive:simulations=50"

VIEWS = {
    "map": GRID,
    "graph": "double-loop bamcp:simulations=200",
    "plain": "random-mdp50 bamcp:simulations=50",
    "pair": "grid5 bayes-adaptive:simulations=100 posterior-mean --seed 3",
    "lake": LAKE,
    "taxi": "gym:Taxi-v4 bamcp:simulations=50",
    "cliff": "gym:CliffWalking-v1 bamcp:simulations=50",
    "cards": "gym:Blackjack-v1 bamcp:simulations=50",
    "endless": "infinite-grid bayes-adaptive:simulations=50 random",
    "arms": "bandit bayes-adaptive:simulations=50 gittins",
}


# Words


@pytest.mark.parametrize("kind", VIEWS)
def test_every_word_is_explained(watch: Open, kind: str) -> None:
    page, _ = watch(VIEWS[kind])
    step(page)
    words = page.locator("[data-term]")
    assert words.count() > 20
    missing = page.evaluate(
        """() => [...document.querySelectorAll("[data-term]")]
            .map((node) => node.matches("label") ? node.querySelector("input, select") : node)
            .filter((node) => (node.getAttribute("aria-description") ?? "").length < 15).map((node) => node.outerHTML)"""
    )
    assert missing == []
    plain = page.evaluate(
        """() => [...document.querySelectorAll("thead th, .status dt, h3")]
            .filter((node) => !node.querySelector("dfn[tabindex='0']")).map((node) => node.textContent)"""
    )
    assert plain == [], "heads of tables and numbers have their explanations, by keyboard too"


def test_explanations_are_used() -> None:
    """Each is for a word on the page."""
    from bamdp.viewer.server import page_files

    files = {path: bytes(file.body).decode() for path, file in page_files().items()}
    names = json.loads(files["/terms.json"])
    others = "".join(text for path, text in files.items() if path != "/terms.json")
    decided = {"mean return", "value", "mean value", "upper bound", "lower bound", "Gittins index"}  # named by decision.py
    assert [name for name in names if f'"{name}"' not in others and name not in decided] == []


def test_tooltips_by_mouse_and_by_keyboard(watch: Open) -> None:
    page, _ = watch(GRID, viewport={"width": 420, "height": 800})
    tip = page.locator("#tip")
    expect(tip).to_be_hidden()
    page.locator("dfn", has_text="visits").hover()
    expect(tip).to_contain_text("How many simulations began with this action")
    page.locator("h1").hover()
    expect(tip).to_be_hidden()
    for word in ("± s.e.", "Best possible value", "Per step"):
        page.locator("dfn", has_text=word).focus()
        expect(tip).to_be_visible()
        box = tip.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.locator("dfn", has_text="visits").focus()
    page.evaluate("document.getElementById('step').click()")
    at_step(page, 1)
    expect(page.locator("dfn", has_text="visits")).to_be_focused()
    expect(tip).to_contain_text("How many simulations")


# Gymnasium


def test_frozen_lake_is_a_map_with_named_actions(watch: Open) -> None:
    page, show = watch(LAKE)
    step(page, 3)
    twin = WatchedRun(show)
    for _ in range(3):
        twin.step()
    assert page.locator(".world .mark text").all_text_contents() == ["S", "H", "H", "H", "H", "G"]
    assert [text.split()[1].removesuffix("chosen") for text in texts(page, ".decision tbody th")] == [
        "left",
        "down",
        "right",
        "up",
    ]
    assert texts(page, ".status dt")[0] == "Return per episode"
    assert texts(page, ".episodes") == [str(twin.frame()["episodes"]["count"])]
    page.get_by_text("Gymnasium's own picture").click()
    expect(page.locator(".world img")).to_be_visible()
    assert page.evaluate("document.querySelector('.world img').naturalWidth") == 256
    step(page)
    expect(page.locator(".world img")).to_be_visible()


def test_an_environment_without_a_map_shows_its_own_picture(watch: Open) -> None:
    page, _ = watch(VIEWS["cards"])
    expect(page.locator(".world img")).to_be_visible()
    assert page.evaluate("document.querySelector('.world img').naturalWidth") > 100


# Looks


@pytest.mark.parametrize("kind", VIEWS)
def test_no_width_needs_sideways_scrolling(watch: Open, kind: str) -> None:
    page, _ = watch(VIEWS[kind])
    step(page, 2)
    for width in (320, 360, 420, 700, 900, 1400):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width
            expect(page.locator(".world > *").first).to_be_visible()
            expect(page.locator("#description")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["map", "pair", "lake", "cards"])
def test_text_can_be_read(watch: Open, kind: str, scheme: str) -> None:
    """A contrast of at least 4.5 to 1, as WCAG asks for; in the past, too."""
    page, _ = watch(VIEWS[kind], color_scheme=scheme)
    step(page, 2)
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor === 'rgb(15, 20, 26)'") == (scheme == "dark")
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("ArrowLeft")
    at_step(page, 1)
    page.locator("dfn").first.focus()
    expect(page.locator("#tip")).to_be_visible()
    assert page.evaluate(CONTRAST) == []
