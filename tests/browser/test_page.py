"""The page in a real browser: it moves, pauses and steps, shows the agent's numbers, and nothing goes wrong in it."""

import re
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import canonicalize

import pytest

from bamdp.agent import Agent
from bamdp.agents import BAMCP
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.viewer.show import AgentEntry, WatchSetup
from bamdp.viewer.watched import WatchedRun
from viewer.serving import serving, show_of

pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
from playwright.sync_api import Browser, Page, expect

from browser.chromium import PATH
from browser.pages import Open, fastest, step, steps, texts

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.browser,
    pytest.mark.skipif(PATH is None, reason="no Chromium was found: the page is not tested in a browser"),
]

WORLDS = {
    "endless": "infinite-grid bamcp:simulations=200 --seed 3",
    "map": "grid5 bamcp:simulations=200 --seed 3",
    "maze": "maze bamcp:simulations=100",
    "graph": "double-loop bamcp:simulations=200",
    "arms": "bandit bamcp:simulations=200",
    "plain": "random-mdp50 bamcp:simulations=50",
}


def stepped(page: Page, show: WatchSetup, count: int) -> dict[str, Any]:
    """Take steps, and give the frame of a twin that took them too."""
    step(page, count)
    twin = WatchedRun(show)
    for _ in range(count):
        twin.step()
    return twin.frame()


# Numbers


@pytest.mark.parametrize("kind", WORLDS)
def test_numbers_are_the_agents(watch: Open, kind: str) -> None:
    page, show = watch(WORLDS[kind])
    twin = WatchedRun(show)
    twin.frame()
    for _ in range(3):
        step(page)
        twin.step()
        frame = twin.frame()
        decision = frame["decision"]
        tried = [visits > 0 for visits in decision["search"]["visits"]]
        values = [f"{v:.3f}" if t else "never tried" for v, t in zip(decision["values"], tried, strict=True)]
        assert texts(page, ".decision .value") == values
        assert texts(page, ".decision .visits") == [str(n) for n in decision["search"]["visits"]]
        assert texts(page, ".decision .error") == ["–" if e is None else f"{e:.3f}" for e in decision["search"]["errors"]]
        assert page.locator(".decision tr.best th").inner_text().split()[0] in page.locator(".chosen strong").inner_text()
        assert texts(page, ".where") == [frame["world"]["label"]]
        assert float(page.locator(".total").inner_text()) == frame["total"]


@pytest.mark.parametrize("kind", ["endless", "map", "graph", "arms"])
def test_pictures_are_those_of_the_server(watch: Open, kind: str) -> None:
    """Shape by shape, in the order they are drawn in; the page adds nothing and leaves nothing out."""
    page, show = watch(WORLDS[kind])
    world = stepped(page, show, 4)["world"]
    for text, selector in (
        (world["moment"], ".stack > svg:last-child"),
        *((row, ".expected > svg") for row in world["expected"][:1]),
    ):
        shown = page.locator(selector).first.evaluate("(node) => new XMLSerializer().serializeToString(node)")
        assert canonicalize(shown) == canonicalize(text)
    expect(page.locator(".expected > svg")).to_have_count(len(world["expected"]))


def test_the_tree_unfolds_by_mouse_and_keyboard_and_stays_so(watch: Open) -> None:
    page, show = watch(WORLDS["graph"])
    twin = WatchedRun(show)
    edge = twin.frame()["decision"]["search"]["tree"]["actions"][0]
    first = page.locator(".tree-holder > ul > li").first
    assert f"{edge['visits']} visits" in first.inner_text()
    assert f"{edge['value']:.3f} ± {edge['error']:.3f}" in first.inner_text()
    expect(first.locator("details details")).to_have_count(0)
    first.locator("summary").first.click()
    below = first.locator("ul > li")
    expect(below).to_have_count(len(edge["children"]))
    assert f"{edge['children'][0]['visits']} visits" in below.first.inner_text()
    summary = below.first.locator("summary").first
    summary.focus()
    page.keyboard.press("Enter")
    expect(below.first.locator("ul")).not_to_have_count(0)
    page.get_by_label("Simulations", exact=True).fill("201")
    page.get_by_label("Simulations", exact=True).press("Enter")
    expect(page.locator(".effort")).to_contain_text("201 in")
    expect(page.locator(".tree-holder > ul > li").first.locator("details").first).to_have_attribute("open", "")


# Controls


def settled(page: Page) -> int:
    """The number of steps once those under way have arrived."""
    while True:
        before = steps(page)
        page.wait_for_timeout(1000)
        if steps(page) == before:
            return before


def test_play_pause_and_keys(watch: Open) -> None:
    page, _ = watch(WORLDS["map"] + " --steps 1000000")  # it doesn't end before it is paused
    fastest(page)
    page.locator("h1").click()  # nothing that takes keys has the focus
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#at-step")).not_to_have_text(re.compile("^[0-3]$"))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    before = settled(page)
    step(page)
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#at-step")).to_have_text(str(before + 2))
    expect(page.locator("#live")).to_contain_text(f"Step {before + 2}, reward")


def test_every_control_is_reached_by_tab_and_has_a_name(watch: Open) -> None:
    page, _ = watch(WORLDS["endless"])
    first = [
        "Skip to the world",
        "Settings",
        "Play",
        "Step",
        "Speed",
        "Save film",
        "as",
        "Simulations",
        "Prior",
        "Seed",
        "New run",
    ]
    after = ["Next seed", "Time line", "Step", "Reward", "Per step", "State", "Simulations", "World", "Show the truth"]
    for name in [*first, *after]:
        page.keyboard.press("Tab")
        found = page.evaluate("() => (document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()")
        assert found.startswith(name)


def test_new_runs(watch: Open) -> None:
    page, show = watch(WORLDS["endless"])
    step(page, 2)
    page.get_by_label("Prior").select_option("wrong")
    expect(page.locator("#at-step")).to_have_text("0")
    assert texts(page, ".decision .value") == [f"{v:.3f}" for v in WatchedRun(show, 3, "wrong").frame()["decision"]["values"]]
    page.get_by_role("button", name="Next seed").click()
    expect(page.get_by_label("Seed")).to_have_value("4")
    expected = [f"{v:.3f}" for v in WatchedRun(show, 4, "wrong").frame()["decision"]["values"]]
    expect(page.locator(".decision .value").first).to_have_text(expected[0])
    assert texts(page, ".decision .value") == expected
    page.get_by_label("Seed").fill("12")
    page.get_by_role("button", name="New run").click()
    expected = [f"{v:.3f}" for v in WatchedRun(show, 12, "wrong").frame()["decision"]["values"]]
    expect(page.locator(".decision .value").first).to_have_text(expected[0])


def test_a_run_ends(watch: Open) -> None:
    page, _ = watch("chain random --steps 20")
    fastest(page)
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".decision")).to_have_text("The run is over.")
    expect(page.get_by_role("button", name="Play")).to_be_disabled()
    assert steps(page) == 20
    page.get_by_role("button", name="New run").click()
    expect(page.get_by_role("button", name="Play")).to_be_enabled()


def test_the_truth_is_shown_when_asked_for(watch: Open) -> None:
    for kind in ("endless", "map", "graph", "arms"):
        page, _ = watch(WORLDS[kind])
        step(page, 2)
        expect(page.locator(".world .truth").first).to_have_css("display", "none")
        page.get_by_label("Show the truth").check()
        expect(page.locator(".world .truth").first).not_to_have_css("display", "none")


def test_errors_are_told_as_text(watch: Open) -> None:
    page, _ = watch("bandit gittins")
    page.get_by_label("Prior").select_option("Dirichlet")
    expect(page.get_by_role("alert")).to_contain_text("prior must be BetaArms")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("alert")).to_be_hidden()
    step(page)


def test_a_lost_connection_is_told(browser: Browser) -> None:
    page = browser.new_page()
    with serving(show_of("chain random")) as url:
        page.goto(url)
        expect(page.locator("#link")).to_have_text("connected")
    expect(page.locator("#link")).to_contain_text("The connection is lost")
    expect(page.get_by_role("button", name="Connect again")).to_be_visible()
    page.close()


def test_names_are_shown_as_text(watch: Open, browser: Browser) -> None:
    """Names of the user's own may look like HTML."""
    show = show_of("chain random")
    strange = "<img src=x onerror=alert(1)>"

    def make(world: Domain, seed: int, prior: Prior) -> Agent:
        problem = replace(world.problem(), states=(strange, "b", "c", "d", "e"), actions=(f"</text>{strange}", "<script>"))
        return BAMCP(problem, simulations=20, seed=seed)

    with serving(WatchSetup(strange, show.domain, (AgentEntry(strange, make),), show.priors, 5, 0)) as url:
        page = browser.new_page()
        page.goto(url)
        expect(page.locator("h1")).to_have_text(f"{strange} in {strange}")
        step(page)
        expect(page.locator("img, script:not([src])")).to_have_count(0)
        assert strange[:3] in "".join(page.locator(".world text").all_text_contents())
        assert "<script>" in page.locator(".expected").inner_text() + "".join(
            page.locator(".expected text").all_text_contents()
        )
        page.close()
