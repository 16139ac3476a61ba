// What the words on the page mean, and the tooltips that say so: on hover, on keyboard focus, and to screen readers.

import { byId, el } from "./dom.js";

export const TERMS = {
  "play": "Plays and pauses. From the past it goes on from the present.",
  "one step": "Carries out the decision shown; in the past, shows the next moment that was kept.",
  "speed": "Steps per second while it plays.",
  "simulations": "How many imagined futures the agent plays through before each decision. More take longer and decide better.",
  "prior": "What the agent believes about the world before the first step. Another one starts a new run.",
  "seed": "The start of all random numbers: the same seed gives the same run.",
  "new run": "Starts again, with the seed and the prior chosen here.",
  "next seed": "A new run with the next seed.",
  "film": "Saves an animated picture of the steps so far; of long runs, some of them at even distances.",
  "back": "Shows the moment before; nothing is undone.",
  "time line": "Moments that were shown before. The last 500 are all kept, and of those before up to 500 at even distances.",
  "present": "Back to where the run is now.",
  "step": "One action and its outcome.",
  "world": "What the agent acts in, and where it is. It does not know how the world works; it learns that from what happens.",
  "truth": "Adds what the agent does not know.",
  "decision": "The action that the agent will take next, and why.",
  "action": "What the agent can do.",
  "search tree": "The futures that the search has imagined: actions, then the states they led to. Open a line to look further.",
  "nodes": "Different futures in the tree: what was done and seen on the way.",
  "steps deep": "The longest imagined future within the tree, in steps.",
  "belief": "What the agent expects, from its prior and all that it has seen: the mean over all worlds it holds possible.",
  "posterior mean": "The probability by the agent's belief: the mean over all worlds it holds possible.",
  "9 in 10": "With a probability of 9 in 10, by the agent's belief, the true number is in this range.",
  "taken": "How often the agent has really done this in this state.",
  "reward": "What the agent has been paid, added up over the steps.",
  "per step": "The reward so far, divided by the number of steps.",
  "episodes": "Episodes that have ended, in a terminal state or by a time limit.",
  "return per episode": "The mean reward of the episodes that have ended.",
  "success rate": "The share of the episodes that paid 1, where each pays 0 or 1.",
  "state": "Where the agent is now.",
  "effort": "Simulations of this decision, and the time it took.",
  "mean return": "The plan's value of an action: the mean discounted reward of the simulations that began with it.",
  "value": "The discounted reward that the agent expects after this action.",
  "mean value": "The mean of the agent's belief about the value of this action.",
  "with information": "The value plus what could be gained by learning more about this action.",
  "Gittins index": "The arm's mean, plus what learning about it is worth. The arm with the highest index is optimal.",
  "upper bound": "The value of this action is at most this.",
  "lower bound": "The value of this action is at least this.",
  "bounds": "The value of the action is between these two.",
  "standard error": "How far the value may be off because of chance: its standard error.",
  "visits": "How many simulations began with this action. The search tries good ones more often.",
  "best possible value": "What the best possible plan is worth from here on, by this belief (the Bayes-optimal value). It is above the lower bound "
    + "with 95 % confidence, as a policy that was tried out earns that much, and below the upper bound with 95 % confidence, as one that is "
    + "told the world some steps later would earn no more. With few simulations, many states or some priors there are none.",
  "base policy": "A good and cheap policy that needs no search. The planner leaves it only for an action whose policy earned more by three "
    + "standard errors.",
  "arm": "One of the things to choose from.",
  "success": "The probability that a pull of this arm succeeds, by the agent's belief.",
  "pulls": "How often this arm was chosen.",
};

/** A word with its explanation. `lane` makes it one of a kind on the page. */
export function term(name, text = name, lane = "") {
  return el("dfn", { class: "term", tabindex: 0, "data-term": name, "data-key": `${lane}:${name}`, "aria-description": TERMS[name] }, text);
}

/** Give the words of a part of the page that is not made by `term` their explanations. */
export function explain(part) {
  for (const node of part.querySelectorAll("[data-term]")) {
    (node.matches("label") ? node.querySelector("input, select") : node).setAttribute("aria-description", TERMS[node.dataset.term]);
  }
}

const READING = 100, WORKING = 900; // milliseconds until a tip shows over a word, and over a button or field

let shownAt = null, waiting = null;

export function connectTips() {
  explain(document);
  document.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") follow(event.target); });
  document.addEventListener("focusin", ({ target }) => { if (target.matches(":focus-visible, dfn") && target.closest("[data-term]")) show(target.closest("[data-term]")); });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", () => { if (shownAt) show(shownAt); }, { passive: true, capture: true });
}

function follow(target) {
  const node = target.closest?.("[data-term]");
  clearTimeout(waiting);
  if (node) waiting = setTimeout(() => show(node), node.matches("dfn") ? READING : WORKING);
  else if (!shownAt?.contains(document.activeElement)) hide();
}

function show(node) {
  if (!node.isConnected) { hide(); return; }
  const tip = byId("tip");
  shownAt = node;
  tip.textContent = TERMS[node.dataset.term];
  tip.hidden = false;
  const at = node.getBoundingClientRect(), edge = 8, own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(edge, at.left), document.documentElement.clientWidth - own.width - edge);
  const below = at.bottom + edge, fits = below + own.height < innerHeight;
  tip.style.left = `${Math.max(edge, left)}px`;
  tip.style.top = `${fits ? below : Math.max(edge, at.top - own.height - edge)}px`;
}

function hide() {
  clearTimeout(waiting);
  shownAt = null;
  byId("tip").hidden = true;
}
