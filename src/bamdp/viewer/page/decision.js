// The decision: what each action is worth, how sure that is, how often the search tried it.

import { el, svg, picture, fixed, replace } from "./dom.js";
import { term } from "./terms.js";

const WIDTH = 120, HEIGHT = 16, EDGE = 5, MIDDLE = HEIGHT / 2;

/** `compute_bounds` computes the upper bound of the best possible value; null if it can't, in the past. */
export function showDecision(holder, decision, init, lane, compute_bounds) {
  replace(holder, ...(decision ? content(decision, init, lane, compute_bounds) : [el("p", {}, "The run is over.")]));
}

function content(decision, init, lane, compute_bounds) {
  const { action, values, bounds } = decision;
  const line = el("p", { class: "chosen" }, "Next: ", el("strong", {}, init.actions[action]));
  if (!values.length) return [line, el("p", { class: "muted" }, `${init.agent} tells no more than that.`)];
  const kept = bounds && values.some((value) => value > values[action]);
  const why = kept ? [el("p", { class: "muted" }, "It keeps to its ", term("base policy", "base policy", lane), ", as no other action is better beyond doubt.")] : [];
  return [line, table(decision, init, lane), ...why, ...(bounds ? [bracket(bounds, values[action], lane, compute_bounds)] : [])];
}

/** What the best possible plan is worth: a bracket with the value of the chosen action in it. */
function bracket({ lower, upper, computed }, value, lane, compute_bounds) {
  const ends = [lower === null ? "" : `at least ${fixed(lower)}`, upper === null ? "" : `at most ${fixed(upper)}`].filter(Boolean).join(", ");
  const parts = [el("span", {}, term("best possible value", "Best possible value", lane), ": "), el("span", {}, ends)];
  if (lower !== null && upper !== null) parts.push(bracketPicture(lower, upper, value));
  if (computed && upper === null) parts.push(el("span", { class: "muted" }, lower === null ? "no bounds here" : "; no upper bound here"));
  if (!computed && compute_bounds) {
    const button = el("button", { type: "button", class: "small", "data-key": `${lane}:compute_bounds` }, "Compute the upper bound");
    button.addEventListener("click", () => { button.disabled = true; button.textContent = "Computing …"; compute_bounds(); });
    parts.push(button);
  }
  return el("div", { class: "bracket" }, ...parts);
}

/** Where numbers are between the least and the greatest of them. */
function scaled(numbers) {
  const low = Math.min(...numbers), span = Math.max(...numbers) - low || 1;
  return (number) => EDGE + ((number - low) / span) * (WIDTH - 2 * EDGE);
}

function bracketPicture(lower, upper, value) {
  const x = scaled([lower, upper, value]);
  const end = (at, inwards) => svg("polyline", { points: `${x(at) + inwards},2 ${x(at)},2 ${x(at)},${HEIGHT - 2} ${x(at) + inwards},${HEIGHT - 2}`, class: "bracket-end" });
  return picture(`0 0 ${WIDTH} ${HEIGHT}`, `bracket from ${fixed(lower)} to ${fixed(upper)}, the chosen action's value is ${fixed(value)}`,
    svg("line", { x1: x(lower), x2: x(upper), y1: MIDDLE, y2: MIDDLE, class: "axis" }), end(lower, 4), end(upper, -4),
    svg("circle", { cx: x(value), cy: MIDDLE, r: 3.5, class: "dot best" }));
}

function table(decision, init, lane) {
  const { values, search, measure } = decision, tried = (action) => !search || search.visits[action] > 0;
  const low = (action) => decision.low[action] ?? values[action], high = (action) => decision.high[action] ?? values[action];
  const x = scaled(values.flatMap((value, action) => (tried(action) ? [value, low(action), high(action)] : [])));
  const ends = search ? null : decision.low.length ? "bounds" : decision.high.length ? "with information" : null;
  const heads = [["action"], [measure], search && ["standard error", "±\u00a0s.e."], search && ["visits"], ends && [ends]].filter(Boolean);
  const head = heads.map(([name, text], i) => el("th", { scope: "col", class: i ? "number" : null, colspan: i === 1 ? 2 : null }, term(name, text ?? name, lane)));
  const rows = values.map((value, action) => {
    const best = action === decision.action, number = (kind, text) => el("td", { class: `number ${kind}` }, text);
    const cells = [el("td", { class: "plot" }, tried(action) ? whisker(x, low(action), value, high(action), best) : ""), number("value", tried(action) ? fixed(value) : "never tried")];
    if (search) cells.push(number("error", fixed(search.errors[action])), number("visits", String(search.visits[action])));
    if (ends) cells.push(number("ends", `${decision.low.length ? `${fixed(decision.low[action])} to ` : ""}${fixed(decision.high[action])}`));
    return el("tr", { class: best ? "best" : null }, el("th", { scope: "row" }, init.actions[action], best ? el("span", { class: "badge" }, "chosen") : null), ...cells);
  });
  return el("table", { class: "values" }, el("caption", { class: "hidden" }, "What each action is worth to the agent"),
    el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}

function whisker(x, low, value, high, best) {
  return picture(`0 0 ${WIDTH} ${HEIGHT}`, `from ${fixed(low)} to ${fixed(high)}`,
    svg("line", { x1: EDGE, x2: WIDTH - EDGE, y1: MIDDLE, y2: MIDDLE, class: "axis" }),
    svg("line", { x1: x(low), x2: x(high), y1: MIDDLE, y2: MIDDLE, class: "span" }),
    svg("circle", { cx: x(value), cy: MIDDLE, r: best ? 4.5 : 3.5, class: best ? "dot best" : "dot" }));
}
