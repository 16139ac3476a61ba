// Where each action leads from here, by the agent's posterior mean.

import { byId, el, fixed, actionName, actionClass } from "./dom.js";
import { probabilityBar } from "./bars.js";

/** Not where the picture of the world shows all there is of the belief. */
export const showsTransitions = (hello) => !["endless", "arms"].includes(hello.world.kind);

export function showBelief(frame, hello, showTruth) {
  const rows = frame.world.transitions;
  byId("belief-card").hidden = !showsTransitions(hello);
  if (!showsTransitions(hello)) return;
  byId("belief").replaceChildren(rows.length
    ? el("div", { class: "rows" }, ...rows.map((row, action) => block(row, action, hello, showTruth)))
    : el("p", { class: "muted" }, hello.prior === null
      ? `${hello.agent} keeps no belief over transitions.` : "This belief can't give the probabilities of next states."));
}

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
