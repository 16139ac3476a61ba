"""The page in a real browser: back in time, two agents side by side, films, links, bounds, keys."""

import io
import re
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest

from bamdp.viewer.stage import Stage
from bamdp.viewer.watched import WatchedRun
from viewer.serving import serving, show_of

pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
from playwright.sync_api import Browser, Locator, Page, expect

from browser.chromium import PATH
from browser.pages import Open, at_step, fastest, step, steps, texts

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.browser,
    pytest.mark.skipif(PATH is None, reason="no Chromium was found: the page is not tested in a browser"),
]

GRID = "grid5 bayes-adaptive:simulations=100 --seed 3"
PAIR = "grid5 bayes-adaptive:simulations=100 posterior-mean --seed 3"


def shown(page: Page) -> dict[str, list[str]]:
    """What there is to read of the moment, without the time that the search took."""
    read = {part: texts(page, part) for part in (".total", ".where", ".decision .value", ".decision .visits")}
    return {
        **read,
        "drawn": page.locator(".stack > svg, .expected > svg").evaluate_all("(all) => all.map((one) => one.outerHTML)"),
    }


# Back and forth


def test_back_in_time_and_on_from_the_present(watch: Open) -> None:
    page, _ = watch(GRID)
    moments = [shown(page)]
    for _ in range(5):
        step(page)
        moments.append(shown(page))
    for back in (4, 3, 2):
        page.keyboard.press("ArrowLeft")
        at_step(page, back)
        assert shown(page) == moments[back]
    expect(page.locator("#when")).to_contain_text("the past")
    page.keyboard.press("Home")
    at_step(page, 0)
    assert shown(page) == moments[0]
    expect(page.get_by_role("button", name="Back")).to_be_disabled()
    page.keyboard.press("ArrowRight")
    at_step(page, 1)
    assert shown(page) == moments[1], "a step in the past shows what was, and takes none"
    slider = page.get_by_label("Time line")
    slider.fill("3")
    at_step(page, 3)
    assert shown(page) == moments[3]
    page.get_by_role("button", name="Present").click()
    at_step(page, 5)
    assert shown(page) == moments[5]
    page.keyboard.press("Home")
    page.keyboard.press("End")
    at_step(page, 5)
    step(page)
    at_step(page, 6)


def test_play_goes_on_from_the_present(watch: Open) -> None:
    page, _ = watch(GRID)
    step(page, 3)
    page.keyboard.press("Home")
    at_step(page, 0)
    fastest(page)
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#at-step")).not_to_have_text(re.compile("^[0-9]$"))
    page.get_by_label("Time line").press("Home")  # going back pauses
    at_step(page, 0)
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_the_past_is_bounded_and_its_start_is_kept(watch: Open) -> None:
    page, _ = watch("chain random --steps 4000")
    kept = page.evaluate(
        """async () => {
            const { keepMoment, momentCount, stepAt, indexOfStep, forgetMoments } = await import("/moments.js");
            forgetMoments();
            for (let step = 0; step <= 20000; step++) keepMoment(step, `{"step":${step}}`);
            const steps = Array.from({ length: momentCount() }, (_, i) => stepAt(i));
            const near = stepAt(indexOfStep(10001));
            forgetMoments();
            for (let step = 0; step < 40; step++) keepMoment(step, "x".repeat(3e6));
            return { steps, near, large: momentCount() };
        }"""
    )
    assert len(kept["steps"]) <= 1000
    assert kept["steps"][0] == 0
    assert kept["steps"][-500:] == list(range(19501, 20001))
    gaps = [b - a for a, b in pairwise(kept["steps"])]
    assert len(set(gaps[:-500])) <= 2, "of those before, at even distances"
    assert 10001 - max(gaps) < kept["near"] <= 10001
    assert max(gaps) < 100
    assert kept["large"] * 3e6 <= 60e6


# Two agents


def test_two_agents_side_by_side(watch: Open) -> None:
    page, show = watch(PAIR)
    twin = Stage(show)
    for _ in range(6):
        step(page)
        twin.step()
    frame = twin.frame()
    lanes = page.locator(".lane")
    expect(lanes).to_have_count(2)
    for lane, run, contender in zip(lanes.all(), frame["runs"], show.agents, strict=True):
        expect(lane.locator(".lane-name")).to_have_text(contender.name)
        assert lane.locator(".where").inner_text() == run["world"]["label"]
        assert float(lane.locator(".total").inner_text()) == run["total"]
        assert texts_in(lane, ".decision .value") == [f"{v:.3f}" for v in run["decision"]["values"]]
    expect(page.locator("#curve polyline")).to_have_count(2)
    boxes = [lane.bounding_box() for lane in lanes.all()]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]


def texts_in(lane: Locator, selector: str) -> list[str]:
    return [text.replace("−", "-") for text in lane.locator(selector).all_inner_texts()]


# Films


@pytest.mark.parametrize("format", ["webp", "gif"])
def test_a_film_is_saved(watch: Open, format: str) -> None:
    from PIL import Image

    page, _ = watch(PAIR)
    step(page, 4)
    page.locator("#film-format").select_option(format)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save film").click()
    download = waiting.value
    assert download.suggested_filename == f"grid5-bayes-adaptive-simulations-100-posterior-mean-4.{format}"
    film = Image.open(io.BytesIO(download.path().read_bytes()))
    assert film.format == format.upper()
    assert getattr(film, "n_frames", 1) == 5
    expect(page.get_by_role("button", name="Save film")).to_be_enabled()
    step(page)


# Links


def test_the_address_shows_the_same_again(watch: Open, browser: Browser) -> None:
    page, show = watch("grid5:slip=0.1 bayes-adaptive:simulations=100 --steps 100")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="New run").click()
    at_step(page, 0)
    page.get_by_label("Simulations", exact=True).fill("150")
    page.get_by_label("Simulations", exact=True).press("Enter")
    expect(page.locator(".effort")).to_contain_text("149 in")  # whole scenarios: at most 150
    page.get_by_label("Speed").press("Home")
    page.get_by_label("Show the truth").check()
    step(page, 3)
    page.get_by_label("Simulations", exact=True).fill("80")
    page.get_by_label("Simulations", exact=True).press("Enter")
    expect(page.locator(".effort")).to_contain_text("79 in")
    step(page, 2)
    page.wait_for_url(re.compile("step=5&"))
    found = parse_qs(urlsplit(page.url).query)
    assert found["domain"] == ["grid5:slip=0.1"]
    assert found["agent"] == ["bayes-adaptive:simulations=100"]
    assert found["settings"] == ["--steps=100"]
    assert (found["seed"], found["step"], found["speed"]) == (["7"], ["5"], ["0.5"])
    assert found["simulations"] == ["100,0:150,3:80"]
    again = browser.new_page()
    again.goto(page.url)
    at_step(again, 5)
    expect(again.locator("#speed-text")).to_have_text("0.5 per second")
    expect(again.get_by_label("Show the truth")).to_be_checked()
    expect(again.get_by_label("Seed")).to_have_value("7")
    expect(again.locator(".where")).to_have_text(page.locator(".where").inner_text())
    twin = WatchedRun(show, 7)
    for count, simulations in ((0, 150), (3, 80), (2, None)):
        for _ in range(count):
            twin.step()
        twin.frame()
        if simulations is not None:
            twin.set_simulations(simulations)
    assert texts(again, ".decision .value") == [f"{v:.3f}" for v in twin.frame()["decision"]["values"]]
    again.wait_for_url(page.url)
    again.close()


def test_a_link_to_something_else_says_how_to_see_it(watch: Open) -> None:
    page, _ = watch("chain random", "/?domain=grid5&agent=bamcp&settings=--steps%3D9&seed=4&step=3")
    link = "/?domain=grid5&agent=bamcp&settings=--steps%3D9&seed=4&step=3"
    expect(page.locator("#error-text")).to_contain_text(
        "This link is for something else than this server shows: stop it and run"
    )
    assert page.locator("#error-text").inner_text().endswith(f'{link}"')
    at_step(page, 0)
    expect(page.locator("h1")).to_have_text("random in chain")


@pytest.mark.parametrize(
    "query", ["?domain=x;ls&agent=bamcp", "?domain=grid5&agent=$(ls)", "?domain=grid5&agent=a&settings=%60ls%60"]
)
def test_no_command_of_a_stranger_is_shown(watch: Open, query: str) -> None:
    """What is shown is the link, percent-encoded, which the command checks."""
    page, _ = watch("chain random", f"/{query}")
    expect(page.locator("#error-text")).to_contain_text("stop it and run")
    shown = page.locator("#error-text").inner_text().partition("stop it and run ")[2]
    assert re.fullmatch(r'bamdp watch "http://127\.0\.0\.1:\d+/\?[\w&=+%.*-]+"', shown, re.ASCII)


@pytest.mark.parametrize(
    "query", ["?step=-1&seed=x&speed=NaN&simulations=1e9", "?seed=99999999999999999999&speed=-4", "?step=&agent=a"]
)
def test_nonsense_in_the_address_is_ignored(watch: Open, query: str) -> None:
    page, _ = watch("chain random", f"/{query}")
    at_step(page, 0)
    step(page)


def test_a_link_past_the_end_goes_to_the_end(watch: Open) -> None:
    page, _ = watch("chain random --steps 12 --seed 5")
    page.wait_for_url(re.compile("step=0&"))
    page.goto(page.url.replace("step=0", "step=500"))
    expect(page.locator(".decision")).to_have_text("The run is over.")
    at_step(page, 12)


# Bounds


def test_the_best_possible_value_is_bracketed_when_asked_for(watch: Open) -> None:
    page, show = watch("grid5 bayes-adaptive --seed 3")
    step(page, 2)
    twin = WatchedRun(show)
    for _ in range(2):
        twin.step()
    twin.frame()
    twin.compute_bounds()
    bounds = twin.frame()["decision"]["bounds"]
    expect(page.locator(".bracket")).to_contain_text(f"at least {bounds['lower']:.3f}")
    expect(page.locator(".bracket")).not_to_contain_text("at most")
    page.get_by_role("button", name="Compute the upper bound").click()
    expect(page.locator(".bracket")).to_contain_text(f"at most {bounds['upper']:.3f}")
    expect(page.locator(".bracket svg")).to_be_visible()
    step(page)
    expect(page.locator(".bracket")).not_to_contain_text("at most")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".bracket")).to_contain_text(f"at most {bounds['upper']:.3f}")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("button", name="Compute the upper bound")).to_have_count(0)


# Keys


def test_space_after_ticking_a_box_plays_and_the_box_stays_ticked(watch: Open) -> None:
    page, _ = watch(GRID)
    for target in (page.get_by_label("Show the truth"), page.get_by_text("Show the truth")):
        page.get_by_label("Show the truth").uncheck()
        target.click()
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        expect(page.get_by_label("Show the truth")).to_be_checked()
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
    before = steps(page)
    page.get_by_role("button", name="Step", exact=True).click()
    at_step(page, before + 1)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_a_box_is_ticked_by_the_keyboard(watch: Open) -> None:
    page, _ = watch(GRID)
    page.get_by_label("Show the truth").focus()
    page.keyboard.press("Space")
    expect(page.get_by_label("Show the truth")).to_be_checked()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_a_lost_connection_comes_back_to_the_same_step(browser: Browser) -> None:
    show = show_of(GRID)
    page = browser.new_page()
    with serving(show) as url:
        page.goto(url)
        step(page, 3)
        page.wait_for_url(re.compile("step=3&"))
        port = urlsplit(url).port
    expect(page.locator("#link")).to_contain_text("The connection is lost")
    with serving(show, port=port or 0):
        page.get_by_role("button", name="Connect again").click()
        at_step(page, 3)
    page.close()
