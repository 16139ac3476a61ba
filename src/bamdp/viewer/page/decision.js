// The decision: what each action is worth, how sure that is, how often the search tried it.

import { byId, el, svg, picture, fixed, actionName } from "./dom.js";

const WIDTH = 120, HEIGHT = 16, EDGE = 5;

export function showDecision(decision, hello) {
  byId("decision").replaceChildren(...(decision ? content(decision, hello) : [el("p", {}, "The run is over.")]));
}

function content(decision, hello) {
  const chosen = hello.actions[decision.action];
  const line = el("p", { id: "chosen" }, "Next: ", el("strong", {}, actionName(chosen)));
  if (!decision.values.length) return [line, el("p", { class: "muted" }, `${hello.agent} tells no more than that.`)];
  return [line, table(decision, hello)];
}

function table(decision, hello) {
  const search = decision.search;
  const tried = (action) => !search || search.visits[action] > 0;
  const scale = range(decision, tried);
  const ends = search ? null : decision.low.length ? "bounds" : decision.high.length ? "with information" : null;
  const heads = ["action", decision.measure, search ? "± s.e." : null, search ? "visits" : null, ends];
  const head = el("tr", {}, ...heads.filter(Boolean).map((text, i) =>
    el("th", { scope: "col", class: i ? "number" : null, colspan: i === 1 ? 2 : null }, text)));
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
