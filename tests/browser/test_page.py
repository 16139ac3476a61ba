"""The viewer's page in a real browser: it plays, steps and goes back, shows the agents' numbers,
and nothing goes wrong.
"""

import io
import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree.ElementTree import canonicalize

import pytest

from bamdp.agent import Agent
from bamdp.agents import BAMCP
from bamdp.domain import Domain
from bamdp.viewer.server import page_files
from bamdp.viewer.stage import AgentEntry, Stage, WatchSetup
from viewer.serving import played, serving, show_of

pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
from playwright.sync_api import Browser, Locator, Page, expect

from browser.chromium import CONTRAST, PATH
from browser.pages import Open, at_step, fastest, step, steps, texts

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.browser,
    pytest.mark.skipif(
        PATH is None, reason="no Chromium was found: the page is not tested in a browser"
    ),
]

WORLDS = {
    "map": "grid5 bayes-adaptive:simulations=100 --seed 3",
    "pair": "grid5 bayes-adaptive:simulations=100 bamcp:simulations=100 --seed 3",
    "graph": "double-loop bamcp:simulations=200",
    "plain": "random-mdp50 bamcp:simulations=50",
    "lake": "gym:FrozenLake-v1 bayes-adaptive:simulations=50",
    "cards": "gym:Blackjack-v1 bamcp:simulations=50",
    "endless": "infinite-grid bayes-adaptive:simulations=50 random",
    "arms": "bandit bayes-adaptive:simulations=50 gittins",
}


# Numbers


@pytest.mark.parametrize("kind", WORLDS)
def test_numbers_and_pictures_are_those_of_the_runs(watch: Open, kind: str) -> None:
    """Drawings shape by shape, in the order they are drawn in; the page adds nothing and leaves
    nothing out.
    """
    page, show = watch(WORLDS[kind])
    step(page, 3)
    lanes = page.locator(".lane").all()
    for lane, run in zip(lanes, played(show, 3).frame()["runs"], strict=True):
        decision, world = run["decision"], run["world"]
        search = decision["search"] or {"visits": [1] * len(decision["values"]), "errors": []}
        tried = [visits > 0 for visits in search["visits"]]
        values = [
            f"{v:.3f}" if t else "never tried"
            for v, t in zip(decision["values"], tried, strict=True)
        ]
        assert texts(lane, ".decision .value") == values
        if decision["search"]:
            assert texts(lane, ".decision .visits") == [str(n) for n in search["visits"]]
        if any(error is not None for error in search["errors"]):
            assert texts(lane, ".decision .error") == [
                "–" if e is None else f"{e:.3f}" for e in search["errors"]
            ]
        assert texts(lane, ".where") == [world["label"]]
        assert float(texts(lane, ".total")[0]) == run["total"]
        rows = [world["worlds"] or "", *world["expected"]]
        drawings = [
            (world["moment"], ".stack > svg:last-child"),
            *((row, ".expected > svg") for row in filter(None, rows[:2])),
        ]
        for text, selector in drawings if world["moment"] else []:
            shown = lane.locator(selector).first.evaluate(
                "(node) => new XMLSerializer().serializeToString(node)"
            )
            assert canonicalize(shown) == canonicalize(text)
        expect(lane.locator(".expected > svg")).to_have_count(
            len(world["expected"]) + (world["worlds"] is not None)
        )
    expect(page.locator("#curve polyline")).to_have_count(len(lanes))


def test_both_agents_and_all_controls_are_in_view(watch: Open) -> None:
    """On a screen of 1400 by 900; one row of controls on 1280, too."""
    page, _ = watch(WORLDS["pair"], viewport={"width": 1400, "height": 900})
    step(page)

    def box(locator: Locator) -> Any:
        found = locator.bounding_box()
        assert found
        return found

    left, right = (box(lane.locator(".stack")) for lane in page.locator(".lane").all())
    tables = [box(table) for table in page.locator("table.values").all()]
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] < right["x"]
    assert max(part["y"] + part["height"] for part in (left, right, *tables)) < 900
    for width in (1400, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert box(page.locator(".controls"))["height"] < 60, "one row"


def test_the_table_of_bamcp_unfolds_into_its_tree_and_stays_so(watch: Open) -> None:
    page, show = watch(WORLDS["graph"])
    edge = Stage(show).frame()["runs"][0]["decision"]["search"]["tree"]["actions"][0]
    page.locator("table.values button").first.click()
    below = page.locator("table.values ul > li")
    expect(below).to_have_count(len(edge["children"]))
    assert f"{edge['children'][0]['visits']} visits" in below.first.inner_text()
    below.first.locator("button").first.focus()
    page.keyboard.press("Enter")
    expect(below.first.locator("ul")).not_to_have_count(0)
    page.get_by_label("Simulations", exact=True).fill("201")
    page.get_by_label("Simulations", exact=True).press("Enter")
    expect(page.locator(".effort")).to_contain_text("201 in")
    expect(page.locator("table.values ul").first).to_be_visible()


def test_a_tree_that_does_not_decide_says_so(watch: Open) -> None:
    page, _ = watch(WORLDS["arms"])
    expect(page.locator(".decision").first).to_contain_text(
        "The arm with the highest Gittins index is optimal and chosen"
    )
    page, _ = watch(WORLDS["map"])
    expect(page.locator(".decision")).to_contain_text("The search tree has")


# Controls


def test_play_pause_and_keys(watch: Open) -> None:
    page, _ = watch(WORLDS["map"] + " --steps 1000000")  # it doesn't end before it is paused
    fastest(page)
    page.locator("h1").click()  # nothing that takes keys has the focus
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#at-step")).not_to_have_text(re.compile("^[0-3]$"))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    before = -1
    while before != steps(page):  # those under way arrive
        before = steps(page)
        page.wait_for_timeout(1000)
    expect(page.locator("#live")).to_contain_text(f"Step {before}, reward")
    step(page)
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#at-step")).to_have_text(str(before + 2))
    expect(page.locator("#live")).to_contain_text(f"Step {before + 2}, reward")


def test_every_control_is_reached_by_tab_and_has_a_name(watch: Open) -> None:
    page, _ = watch("infinite-grid bamcp:simulations=100")
    names = [
        "Skip to the world",
        "Settings",
        "Play",
        "Step",
        "Time line",
        "Step",
        "Speed",
        "Simulations",
        "Seed",
        "New run",
    ]
    for name in [
        *names,
        "Save film",
        "Reward",
        "State",
        "Simulations",
        "The world",
        "Show the truth",
    ]:
        page.keyboard.press("Tab")
        found = page.evaluate(
            "() => (document.activeElement.labels?.[0] ?? "
            "document.activeElement).textContent.trim()"
        )
        assert found.startswith(name)


def test_a_run_ends_and_another_begins(watch: Open) -> None:
    page, show = watch("chain bamcp:simulations=20 --steps 20")
    fastest(page)
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".decision")).to_have_text("The run is over.")
    expect(page.get_by_role("button", name="Play")).to_be_disabled()
    expect(page.locator("#live")).to_have_text(re.compile("^Step 20, .*the run is over$"))
    assert steps(page) == 20
    page.get_by_label("Seed").fill("12")
    page.get_by_role("button", name="New run").click()
    at_step(page, 0)
    values = Stage(show, 12).frame()["runs"][0]["decision"]["values"]
    assert texts(page, ".decision .value") == [f"{value:.3f}" for value in values]


@pytest.mark.parametrize("kind", ["endless", "map", "graph", "arms"])
def test_the_truth_is_shown_when_asked_for_and_keys_stay_with_the_run(
    watch: Open, kind: str
) -> None:
    page, _ = watch(WORLDS[kind])
    step(page, 2)
    truth, box = (
        page.locator(".world [class^=truth]").first,
        page.get_by_label("Show the truth").first,
    )
    expect(truth).to_have_css("display", "none")
    box.click()
    expect(truth).not_to_have_css("display", "none")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(box).to_be_checked()
    page.keyboard.press("Space")
    box.focus()
    page.keyboard.press("Space")
    expect(box).not_to_be_checked()


def test_errors_and_names_are_shown_as_text(browser: Browser) -> None:
    """Names of the user's own may look like HTML."""
    show, strange = show_of("chain random"), "<img src=x onerror=alert(1)>"

    def make(world: Domain, seed: int) -> Agent:
        if seed != first:
            raise ValueError(strange)
        problem = replace(
            world.problem(),
            states=(strange, "b", "c", "d", "e"),
            actions=(f"</text>{strange}", "<script>"),
        )
        return BAMCP(problem, simulations=20, seed=seed)

    from bamdp.runs.loop import seeds

    first, page = seeds(0, 0)[0], browser.new_page()
    with serving(
        WatchSetup(strange, show.domain, (AgentEntry(strange, make),), show.prior, 5, 0)
    ) as url:
        page.goto(url)
        expect(page.locator("h1")).to_have_text(f"{strange} in {strange}")
        step(page)
        assert strange[:3] in "".join(page.locator(".world text").all_text_contents())
        assert "<script>" in "".join(page.locator(".expected text").all_text_contents())
        page.get_by_label("Seed").fill("4")
        page.get_by_role("button", name="New run").click()
        expect(page.get_by_role("alert")).to_contain_text(f"ValueError: {strange}")
        page.get_by_role("button", name="Dismiss").click()
        expect(page.get_by_role("alert")).to_be_hidden()
        expect(page.locator("img, script:not([src])")).to_have_count(0)
        step(page)
    page.close()


# Back and forth


def shown(page: Page) -> dict[str, list[str]]:
    """What there is to read of the moment, without the time that the search took."""
    read = {
        part: texts(page, part)
        for part in (".total", ".where", ".decision .value", ".decision .visits")
    }
    drawn = page.locator(".stack > svg, .expected > svg").evaluate_all(
        "(all) => all.map((one) => one.outerHTML)"
    )
    return {**read, "drawn": drawn}


def test_back_in_time_and_on_from_the_present(watch: Open) -> None:
    page, _ = watch(WORLDS["map"])
    moments = [shown(page)]
    for _ in range(5):
        step(page)
        moments.append(shown(page))
    for key, at in (
        ("ArrowLeft", 4),
        ("ArrowLeft", 3),
        ("Home", 0),
        ("ArrowRight", 1),
        ("End", 5),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        at_step(page, at)
        assert shown(page) == moments[at], "a step in the past shows what was, and takes none"
    expect(page.locator("#when")).to_contain_text("the past")
    expect(page.locator("#moment-last")).to_have_text("now")
    expect(page.get_by_role("button", name="Back")).to_be_disabled()
    page.get_by_label("Time line").fill("3")
    at_step(page, 3)
    assert shown(page) == moments[3]
    fastest(page)
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#at-step")).not_to_have_text(re.compile("^[0-9]$"))
    page.get_by_label("Time line").press("Home")  # going back pauses
    at_step(page, 0)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator("#live")).to_contain_text("Step 0, reward")


def test_the_past_is_bounded(watch: Open) -> None:
    page, _ = watch("chain random")
    kept = page.evaluate(
        """async () => {
            const { keepMoment, momentCount, stepAt, indexOfStep, forgetMoments } =
                await import("/moments.js");
            forgetMoments();
            for (let step = 0; step <= 5000; step += 2) keepMoment(step, `{"step":${step}}`);
            const steps = Array.from({ length: momentCount() }, (_, i) => stepAt(i)),
                near = stepAt(indexOfStep(4001));
            forgetMoments();
            for (let step = 0; step < 40; step++) keepMoment(step, "x".repeat(3e6));
            return { steps, near, large: momentCount() };
        }"""
    )
    assert kept == {"steps": list(range(3002, 5001, 2)), "near": 4000, "large": 20}


def test_a_film_is_saved(watch: Open) -> None:
    from PIL import Image

    page, _ = watch(WORLDS["pair"])
    step(page, 4)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save film").click()
    download = waiting.value
    assert (
        download.suggested_filename
        == "grid5-bayes-adaptive-simulations-100-bamcp-simulations-100-4.webp"
    )
    assert getattr(Image.open(io.BytesIO(download.path().read_bytes())), "n_frames", 1) == 5
    expect(page.get_by_role("button", name="Save film")).to_be_enabled()


# Links


def test_the_address_shows_the_same_again(watch: Open, browser: Browser) -> None:
    page, show = watch("grid5:slip=0.1 bamcp:simulations=100 --steps 100")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="New run").click()
    at_step(page, 0)
    page.get_by_label("Simulations", exact=True).fill("150")
    page.get_by_label("Simulations", exact=True).press("Enter")
    expect(page.locator(".effort")).to_contain_text("150 in")
    page.get_by_label("Speed").press("Home")
    page.get_by_label("Show the truth").check()
    step(page, 5)
    page.wait_for_url(re.compile("step=5&"))
    found = parse_qs(urlsplit(page.url).query)
    named = {
        "domain": "grid5:slip=0.1",
        "agent": "bamcp:simulations=100",
        "settings": "--steps=100",
        "seed": "7",
    }
    named |= {"simulations": "150", "step": "5", "speed": "0.5", "truth": "yes"}
    assert found == {name: [value] for name, value in named.items()}
    again = browser.new_page()
    again.goto(page.url)
    at_step(again, 5)
    expect(again.locator("#speed-text")).to_have_text("0.5 / s")
    expect(again.get_by_label("Show the truth")).to_be_checked()
    values = played(show, 5, 7, [150]).frame()["runs"][0]["decision"]["values"]
    assert texts(again, ".decision .value") == [f"{value:.3f}" for value in values]
    again.wait_for_url(page.url)
    again.close()


@pytest.mark.parametrize(
    "query",
    [
        "?domain=grid5&agent=bamcp&step=3",
        "?domain=x;ls&agent=bamcp",
        "?domain=grid5&agent=$(ls)&settings=%60ls%60",
    ],
)
def test_a_link_to_something_else_says_how_to_see_it(watch: Open, query: str) -> None:
    """What is shown is the link, percent-encoded, which the command checks: no command of a
    stranger.
    """
    page, _ = watch("chain random", f"/{query}")
    expect(page.locator("#error-text")).to_contain_text(
        "This link is for something else than this server shows"
    )
    command = page.locator("#error-text").inner_text().partition("stop it and run ")[2]
    assert re.fullmatch(r'bamdp watch "http://127\.0\.0\.1:\d+/\?[\w&=+%.*-]+"', command, re.ASCII)
    at_step(page, 0)


@pytest.mark.parametrize(
    ("query", "step"),
    [
        ("?step=-1&seed=x&speed=NaN&simulations=1e9", 0),
        ("?seed=99999999999999999999&speed=-4", 0),
        ("?step=500", 12),
    ],
)
def test_nonsense_in_the_address_is_ignored(watch: Open, query: str, step: int) -> None:
    page, _ = watch("chain random --steps 12", f"/{query}")
    at_step(page, step)


def test_a_lost_connection_comes_back_to_the_same_step(browser: Browser) -> None:
    show, page = show_of(WORLDS["map"]), browser.new_page()
    with serving(show) as url:
        page.goto(url)
        expect(page.locator(".chosen").first).to_be_visible()
        step(page, 3)
        page.wait_for_url(re.compile("step=3&"))
    expect(page.locator("#link")).to_contain_text("The connection is lost")
    with serving(show, port=urlsplit(url).port or 0):
        page.get_by_role("button", name="Connect again").click()
        at_step(page, 3)
    page.close()


# Words and looks


@pytest.mark.parametrize("kind", WORLDS)
def test_every_word_is_explained_and_no_width_needs_sideways_scrolling(
    watch: Open, kind: str
) -> None:
    page, _ = watch(WORLDS[kind])
    step(page, 2)
    missing = page.evaluate(
        """() => [...document.querySelectorAll("[data-term]")]
            .filter((node) => (node.getAttribute("aria-description") ?? node.title).length < 15)
            .map((node) => node.outerHTML)"""
    )
    assert missing == []
    plain = page.evaluate(
        """() => [...document.querySelectorAll("thead th, .status dt, h3")]
            .filter((node) => !node.querySelector("dfn[tabindex='0']"))
            .map((node) => node.textContent)"""
    )
    assert plain == [], "heads of tables and numbers have their explanations, by keyboard too"
    for width in (320, 420, 700, 900, 1400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        expect(page.locator(".world > *").first).to_be_visible()
        expect(page.locator("#description")).to_be_visible()


def test_explanations_are_used() -> None:
    """Each is for a word on the page."""
    files = {path: bytes(file.body).decode() for path, file in page_files().items()}
    others = "".join(text for path, text in files.items() if path != "/terms.json")
    decided = {
        "mean return",
        "value",
        "mean value",
        "upper bound",
        "lower bound",
        "Gittins index",
    }  # named by decision.py
    assert [
        name
        for name in json.loads(files["/terms.json"])
        if f'"{name}"' not in others and name not in decided
    ] == []


def test_tooltips_by_mouse_and_by_keyboard(watch: Open) -> None:
    page, _ = watch(WORLDS["map"], viewport={"width": 420, "height": 800})
    tip = page.locator("#tip")
    expect(tip).to_be_hidden()
    page.locator("dfn", has_text="visits").hover()
    expect(tip).to_contain_text("How many simulations began with this action")
    page.locator("h1").hover()
    expect(tip).to_be_hidden()
    for word in ("± s.e.", "nodes", "State"):
        page.locator("dfn", has_text=word).first.focus()
        expect(tip).to_be_visible()
        box = tip.bounding_box()
        assert box
        assert 0 <= box["x"] <= 420 - box["width"]
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.locator("dfn", has_text="visits").focus()
    page.evaluate("document.getElementById('step').click()")
    at_step(page, 1)
    expect(page.locator("dfn", has_text="visits")).to_be_focused()
    expect(tip).to_contain_text("How many simulations")


def test_an_environment_without_a_map_shows_its_own_picture(watch: Open) -> None:
    page, _ = watch(WORLDS["cards"])
    expect(page.locator(".world img")).to_be_visible()
    expect(page.get_by_label("Show the truth")).to_be_hidden()
    assert page.evaluate("document.querySelector('.world img').naturalWidth") > 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["pair", "lake", "cards"])
def test_text_can_be_read(watch: Open, kind: str, scheme: str) -> None:
    """A contrast of at least 4.5 to 1, as WCAG asks for; in the past, too."""
    page, _ = watch(WORLDS[kind], color_scheme=scheme)
    step(page, 2)
    assert page.evaluate(
        "() => getComputedStyle(document.body).backgroundColor === 'rgb(15, 20, 26)'"
    ) == (scheme == "dark")
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("ArrowLeft")
    at_step(page, 1)
    page.locator("dfn").first.focus()
    expect(page.locator("#tip")).to_be_visible()
    assert page.evaluate(CONTRAST) == []
