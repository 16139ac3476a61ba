// The world: picks the picture that fits, and its legend.

import { byId, el, actionName, actionClass } from "./dom.js";
import { endless, ENDLESS_LEGEND } from "./endless.js";
import { map } from "./map.js";
import { graph } from "./graph.js";
import { arms } from "./arms.js";

const PICTURES = { endless, map, graph, arms };

export function showWorld(frame, hello, showTruth) {
  const draw = PICTURES[hello.world.kind];
  byId("world").replaceChildren(draw
    ? draw(frame, hello, showTruth)
    : el("p", { class: "muted" }, `There is no picture of this world; the agent is at ${frame.world.label}.`));
}

export function showLegend(hello) {
  const kind = hello.world.kind;
  const entries = kind === "endless" ? ENDLESS_LEGEND.slice(0, hello.world.posterior ? undefined : -3)
    : kind === "map" ? [["heat", "visited"], ...arrows(hello, "where it leads on average")]
    : kind === "graph" ? arrows(hello, "mean transitions of what was tried")
    : kind === "arms" ? [["swatch bar a0", "mean"], ["swatch whisker", "9 in 10 lie here"]] : [];
  const last = kind === "plain" ? [] : [["swatch true", "the truth, if shown"]];
  byId("legend").replaceChildren(...[...entries, ...last].map(([mark, text]) =>
    el("li", {}, el("span", { class: `key ${mark}`, "aria-hidden": "true" }), text)));
}

function arrows(hello, text) {
  const known = hello.prior !== null;
  return known && hello.actions.length <= 6
    ? hello.actions.map((name, action) => [`swatch line ${actionClass(action)}`, action ? actionName(name) : `${actionName(name)}: ${text}`])
    : [];
}
