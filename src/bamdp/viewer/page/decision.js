// The decision: what each action is worth, how sure that is, how often the search tried it.

import { el, svg, picture, fixed, replace, actionName } from "./dom.js";
import { term } from "./terms.js";

const WIDTH = 120, HEIGHT = 16, EDGE = 5;

/** `certify` computes the upper bound of the best possible value; null if it can't, in the past. */
export function showDecision(holder, decision, hello, lane, certify) {
  replace(holder, ...(decision ? content(decision, hello, lane, certify) : [el("p", {}, "The run is over.")]));
}

function content(decision, hello, lane, certify) {
  const chosen = hello.actions[decision.action];
  const line = el("p", { class: "chosen" }, "Next: ", el("strong", {}, actionName(chosen)));
  if (!decision.values.length) return [line, el("p", { class: "muted" }, `${hello.agent} tells no more than that.`)];
  const kept = decision.bounds && decision.values.some((value) => value > decision.values[decision.action]);
  const why = kept ? [el("p", { class: "muted" }, "It keeps to its ", term("base policy", "base policy", lane), ", as no other action is better beyond doubt.")] : [];
  return [line, table(decision, hello, lane), ...why, ...(decision.bounds ? [bracket(decision, lane, certify)] : [])];
}

/** What the best possible plan is worth: a bracket with the value of the chosen action in it. */
function bracket(decision, lane, certify) {
  const { lower, upper, computed } = decision.bounds, value = decision.values[decision.action];
  const parts = [el("span", {}, term("best possible value", "Best possible value", lane), ": ")];
  if (lower === null && upper === null && computed) {
    parts.push(el("span", { class: "muted" }, "no bounds here"));
  } else {
    parts.push(el("span", { class: "ends" }, lower === null ? "" : `at least ${fixed(lower)}`, lower !== null && upper !== null ? ", " : "", upper === null ? "" : `at most ${fixed(upper)}`));
    if (lower !== null && upper !== null) parts.push(bracketPicture(lower, upper, value));
    if (upper === null && computed) parts.push(el("span", { class: "muted" }, "; no upper bound here"));
  }
  if (!computed && certify) {
    const button = el("button", { type: "button", class: "small certify", "data-key": `${lane}:certify` }, "Compute the upper bound");
    button.addEventListener("click", () => { button.disabled = true; button.textContent = "Computing …"; certify(); });
    parts.push(button);
  }
  return el("div", { class: "bracket" }, ...parts);
}

function bracketPicture(lower, upper, value) {
  const low = Math.min(lower, value), span = Math.max(upper, value) - low || 1, middle = HEIGHT / 2;
  const x = (at) => EDGE + ((at - low) / span) * (WIDTH - 2 * EDGE);
  const end = (at, inwards) => svg("polyline", { points: `${x(at) + inwards},2 ${x(at)},2 ${x(at)},${HEIGHT - 2} ${x(at) + inwards},${HEIGHT - 2}`, class: "bracket-end" });
  return picture(`0 0 ${WIDTH} ${HEIGHT}`, `bracket from ${fixed(lower)} to ${fixed(upper)}, the chosen action's value is ${fixed(value)}`,
    svg("line", { x1: x(lower), x2: x(upper), y1: middle, y2: middle, class: "axis" }), end(lower, 4), end(upper, -4),
    svg("circle", { cx: x(value), cy: middle, r: 3.5, class: "dot best" }));
}

function table(decision, hello, lane) {
  const search = decision.search;
  const tried = (action) => !search || search.visits[action] > 0;
  const scale = range(decision, tried);
  const ends = search ? null : decision.low.length ? "bounds" : decision.high.length ? "with information" : null;
  const heads = [["action"], [decision.measure], search ? ["standard error", "± s.e."] : null, search ? ["visits"] : null, ends ? [ends] : null];
  const head = el("tr", {}, ...heads.filter(Boolean).map(([name, text], i) =>
    el("th", { scope: "col", class: i ? "number" : null, colspan: i === 1 ? 2 : null }, term(name, text ?? name, lane))));
  const rows = decision.values.map((value, action) => {
    const best = action === decision.action;
    const name = el("th", { scope: "row" }, actionName(hello.actions[action]), best ? el("span", { class: "badge" }, "chosen") : null);
    const cells = [el("td", { class: "plot" }, tried(action) ? whisker(decision, action, scale, best) : "")];
    cells.push(el("td", { class: "number value" }, tried(action) ? fixed(value) : "never tried"));
    if (search) {
      cells.push(el("td", { class: "number error" }, fixed(search.errors[action])));
      cells.push(el("td", { class: "number visits" }, String(search.visits[action])));
    }
    if (ends) {
      const low = decision.low.length ? `${fixed(decision.low[action])} to ` : "";
      cells.push(el("td", { class: "number" }, `${low}${fixed(decision.high[action])}`));
    }
    return el("tr", { class: best ? "best" : null }, name, ...cells);
  });
  return el("table", { class: "values" },
    el("caption", { class: "hidden" }, "What each action is worth to the agent"),
    el("thead", {}, head), el("tbody", {}, ...rows));
}

function range(decision, tried) {
  const all = decision.values.flatMap((value, action) =>
    tried(action) ? [value, decision.low[action] ?? value, decision.high[action] ?? value] : []);
  const low = Math.min(...all), high = Math.max(...all);
  const span = high - low || 1;
  return (value) => EDGE + ((value - low) / span) * (WIDTH - 2 * EDGE);
}

function whisker(decision, action, scale, best) {
  const value = decision.values[action];
  const low = decision.low[action] ?? value, high = decision.high[action] ?? value;
  const middle = HEIGHT / 2;
  return picture(`0 0 ${WIDTH} ${HEIGHT}`, `from ${fixed(low)} to ${fixed(high)}`,
    svg("line", { x1: EDGE, x2: WIDTH - EDGE, y1: middle, y2: middle, class: "axis" }),
    svg("line", { x1: scale(low), x2: scale(high), y1: middle, y2: middle, class: "whisker wide" }),
    svg("circle", { cx: scale(value), cy: middle, r: best ? 4.5 : 3.5, class: best ? "dot best" : "dot" }));
}
