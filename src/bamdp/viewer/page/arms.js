// The arms of a bandit: what the agent thinks of each one's probability of success.

import { el, fixed } from "./dom.js";
import { probabilityBar } from "./bars.js";
import { term } from "./terms.js";

export function arms(frame, hello, showTruth, lane) {
  const chosen = frame.decision ? frame.decision.action : null;
  const rows = frame.world.arms.map((arm, action) => {
    const name = el("th", { scope: "row" }, hello.actions[action], action === chosen ? el("span", { class: "badge" }, "next") : null);
    const belief = arm.mean === null ? [el("td", { colspan: 2 }, "–")]
      : [el("td", { class: "wide" }, probabilityBar(arm, "a0", showTruth)), el("td", { class: "number" }, fixed(arm.mean))];
    return el("tr", { class: action === chosen ? "best" : null }, name, ...belief, el("td", { class: "number" }, String(arm.count)));
  });
  return el("table", { class: "values" },
    el("caption", {}, `The last pull was a ${frame.world.label}.`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, term("arm", "arm", lane)),
      el("th", { scope: "col", colspan: 2, class: "number" }, term("success", "probability of success", lane)),
      el("th", { scope: "col", class: "number" }, term("pulls", "pulls", lane)))),
    el("tbody", {}, ...rows));
}
