// Where each action leads from here, by the agent's posterior mean.

import { el, fixed, replace, actionName, actionClass } from "./dom.js";
import { probabilityBar } from "./bars.js";
import { term } from "./terms.js";

/** Not where the picture of the world shows all there is of the belief. */
export const showsTransitions = (hello) => !["endless", "arms"].includes(hello.world.kind);

export function showBelief(holder, frame, hello, showTruth, lane) {
  const rows = frame.world.transitions;
  if (!showsTransitions(hello)) return;
  replace(holder, ...(rows.length
    ? [el("p", { class: "muted" }, "Where each action leads, by the ", term("posterior mean", "posterior mean", lane), rows.some(withRange) ? ", and where " : "",
        rows.some(withRange) ? term("9 in 10", "9 in 10", lane) : "", rows.some(withRange) ? " lie:" : ":"),
      el("div", { class: "rows" }, ...rows.map((row, action) => block(row, action, hello, showTruth)))]
    : [el("p", { class: "muted" }, hello.prior === null
      ? `${hello.agent} keeps no belief over transitions.` : "This belief can't give the probabilities of next states.")]));
}

const withRange = (row) => row.next.some(({ low }) => low !== null);

function block(row, action, hello, showTruth) {
  const taken = row.count === 1 ? "taken once here" : row.count ? `taken ${row.count} times here` : "never taken here";
  const pays = row.reward === null ? "" : `, pays ${fixed(row.reward)} on average`;
  const lines = row.next.map((entry) => el("tr", {}, el("th", { scope: "row" }, entry.state),
    el("td", { class: "wide" }, probabilityBar(entry, actionClass(action), showTruth)),
    el("td", { class: "number" }, fixed(entry.mean))));
  if (row.rest) {
    lines.push(el("tr", { class: "muted" }, el("th", { scope: "row", colspan: 2 }, row.next.length ? `${row.rest.states} other states` : `any of ${row.rest.states} states`),
      el("td", { class: "number" }, fixed(row.rest.mean))));
  }
  return el("table", { class: "values" }, el("caption", {}, el("strong", {}, actionName(hello.actions[action])), ` ${taken}${pays}`), el("tbody", {}, ...lines));
}
