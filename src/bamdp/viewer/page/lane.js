// One agent's part of the page: its numbers, decision and search tree, and the server's drawings of its world and its belief.

import { byId, drawing, el, plain, replace, svg } from "./dom.js";
import { showDecision } from "./decision.js";
import { Tree } from "./tree.js";
import { explain, term } from "./terms.js";

const DISCS = ["reward", "taken", "agent"], LINES = ["whisker", "truth"]; // roles with a swatch of that shape
const EXPLAINED = ["posterior mean", "9 in 10"]; // words of legends

export class Lane {
  constructor(init, index, many, events) {
    Object.assign(this, { init, index, events });
    this.node = byId("lane").content.cloneNode(true).firstElementChild;
    this.node.setAttribute("aria-label", init.agent);
    this.part(".lane-name").textContent = init.agent;
    this.part(".lane-name").classList.toggle("hidden", !many);
    this.tree = new Tree(this.part(".tree-holder"), this.part(".tree-card"), index);
    this.ground = init.world.ground ? [drawing(init.world.ground)] : [];
    this.truth = this.part(".truth-box");
    this.truth.addEventListener("change", () => events.truth(this.truth.checked));
    this.part(".belief-card").hidden = !this.showsTransitions;
    this.part(".legend").replaceChildren(...init.world.legend.map(([role, text]) => el("li", {}, swatch(role), ...explained(text, `${index}-legend-${text}`))));
    explain(this.node);
  }

  part(selector) {
    return this.node.querySelector(selector);
  }

  /** Not where the drawing of the world shows all there is of the belief. */
  get showsTransitions() {
    return !["endless", "arms"].includes(this.init.world.kind);
  }

  /** Where there is room for the curve. */
  get roomy() {
    return this.part(this.showsTransitions ? ".left" : ".right");
  }

  show(run, truth, present) {
    const { init, index } = this;
    this.truth.checked = truth;
    this.node.classList.toggle("told", truth);
    replace(this.part(".status"), ...status(run, init, index));
    showDecision(this.part(".decision"), run.decision, init, index, present ? this.events.compute_bounds : null);
    this.tree.show(run.decision, init);
    this.showWorld(run.world);
    if (this.showsTransitions) replace(this.part(".belief"), ...this.belief(run.world.expected));
  }

  showWorld({ moment, picture, label }) {
    const holder = this.part(".world"), unfolded = holder.querySelector("details")?.open ?? false;
    const drawn = moment ? [el("div", { class: "stack" }, ...this.ground, drawing(moment))] : [];
    const image = picture ? [el("img", { src: picture, alt: `Gymnasium's picture; the agent is at ${label}` })] : [];
    const folded = () => el("details", { open: unfolded }, el("summary", { "data-key": `${this.index}:own` }, "Gymnasium's own picture"), ...image);
    if (this.init.world.kind === "map" && picture) replace(holder, ...drawn, folded());
    else if (moment || picture) replace(holder, ...image, ...drawn);
    else replace(holder, el("p", { class: "muted" }, `There is no picture of this world; the agent is at ${label}.`));
  }

  belief(rows) {
    const { init, index } = this;
    const none = init.prior === null ? `${init.agent} keeps no belief over transitions.` : "This belief can't give the probabilities of next states.";
    if (!rows.length) return [el("p", { class: "muted" }, none)];
    const ranges = rows.some((row) => row.includes("whisker")) ? ["; lines are where ", term("9 in 10", "9 in 10", index), " lie"] : [];
    const about = el("p", { class: "muted" }, ...explained("Where each action leads, by the posterior mean", index), ...ranges, ":");
    return [about, el("div", { class: "expected" }, ...rows.map(drawing))];
  }

  /** The moment in words. */
  words(run) {
    const next = run.decision ? `next ${this.init.actions[run.decision.action]}` : "the run is over";
    return `reward ${plain(run.total)}, at ${run.world.label}, ${next}`;
  }
}

function swatch(role) {
  const shape = DISCS.includes(role) ? svg("circle", { cx: 5, cy: 5, r: 4 }) : LINES.includes(role) ? svg("path", { d: "M0 5h10" }) : svg("rect", { width: 10, height: 10 });
  return svg("svg", { class: "key", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("g", { class: role === "truth" ? "truth always" : role }, shape));
}

/** A text with the words in it that need an explanation. */
function explained(text, lane) {
  const word = EXPLAINED.find((name) => text.includes(name));
  if (!word) return [text];
  const [before, after] = text.split(word);
  return [before, term(word, word, lane), after];
}

/** The numbers of a run: what ends first where episodes end. */
function status(run, init, lane) {
  const { episodes } = run, search = run.decision?.search, facts = [];
  if (episodes) facts.push(["return per episode", "Return per episode", plain(episodes.mean), "per-episode"]);
  if (episodes && episodes.success !== null) facts.push(["success rate", "Success rate", `${plain(100 * episodes.success, 1)} %`, "success"]);
  if (episodes) facts.push(["episodes", "Episodes", String(episodes.count), "episodes"]);
  facts.push(["reward", "Reward", plain(run.total), "total"], ["per step", "Per step", run.step ? plain(run.total / run.step) : "–", "rate"], ["state", "State", run.world.label, "where"]);
  if (init.simulates) facts.push(["effort", "Simulations", search ? `${search.simulations} in ${plain(1000 * search.seconds, 1)} ms` : "–", "effort"]);
  return facts.map(([name, text, value, kind]) => el("div", {}, el("dt", {}, term(name, text, `${lane}-status`)), el("dd", { class: kind }, value)));
}
