// The world: picks the picture that fits, and its legend.

import { el, replace, actionName, actionClass } from "./dom.js";
import { endless, ENDLESS_LEGEND } from "./endless.js";
import { cellMap } from "./map.js";
import { graph } from "./graph.js";
import { arms } from "./arms.js";
import { term } from "./terms.js";

const PICTURES = { endless, map: cellMap, graph, arms };

export function showWorld(holder, frame, hello, showTruth, lane) {
  const draw = PICTURES[hello.world.kind], own = frame.world.picture, unfolded = holder.querySelector("details")?.open ?? false;
  const drawn = draw ? [draw(frame, hello, showTruth, lane)] : [];
  const image = own ? [el("img", { src: own, alt: `Gymnasium's picture; the agent is at ${frame.world.label}` })] : [];
  if (hello.world.kind === "map" && own) {
    replace(holder, ...drawn, el("details", { open: unfolded }, el("summary", { "data-key": `${lane}:own` }, "Gymnasium's own picture"), ...image));
  } else if (draw || own) {
    replace(holder, ...image, ...drawn);
  } else {
    replace(holder, el("p", { class: "muted" }, `There is no picture of this world; the agent is at ${frame.world.label}.`));
  }
}

export function showLegend(holder, hello, lane) {
  const kind = hello.world.kind;
  const entries = kind === "endless" ? ENDLESS_LEGEND.slice(0, hello.world.posterior ? undefined : -3)
    : kind === "map" ? [["heat", "visited"], ...arrows(hello, "where it leads on average")]
    : kind === "graph" ? arrows(hello, "mean transitions of what was tried")
    : kind === "arms" ? [["swatch bar a0", "mean"], ["swatch whisker", "9 in 10 lie here"]] : [];
  const last = kind === "plain" ? [] : [["swatch true", "the truth, if shown"]];
  holder.replaceChildren(...[...entries, ...last].map(([mark, text]) =>
    el("li", {}, el("span", { class: `key ${mark}`, "aria-hidden": "true" }), ...explained(text, `${lane}-legend`))));
}

/** A text with the words in it that need an explanation. */
function explained(text, lane) {
  const word = ["posterior mean", "9 in 10"].find((name) => text.includes(name));
  if (!word) return [text];
  const [before, after] = text.split(word);
  return [before, term(word, word, `${lane}-${text}`), after];
}

function arrows(hello, text) {
  const known = hello.prior !== null;
  return known && hello.actions.length <= 6
    ? hello.actions.map((name, action) => [`swatch line ${actionClass(action)}`, action ? actionName(name) : `${actionName(name)}: ${text}`])
    : [];
}
