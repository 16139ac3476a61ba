// One agent's part of the page: its numbers and decision, and the server's drawings of its world and its belief.

import { byId, drawing, el, plain, replace, svg } from "./dom.js";
import { Decision } from "./decision.js";
import { explain, term } from "./terms.js";

const DISCS = ["reward", "taken", "agent", "columns", "rows"]; // roles with a swatch of that shape
const TRUTH = { map: "M1 9h8L5 1z", graph: "M0 5h2.5M3.7 5h2.5M7.4 5h2.5", arms: "M5 0v10", endless: "M1 5a4 4 0 1 1 0 .1" }; // by kind of world

export class Lane {
  constructor(init, index, many, onTruth) {
    Object.assign(this, { init, index });
    this.node = byId("lane").content.cloneNode(true).firstElementChild;
    this.node.setAttribute("aria-label", init.agent);
    this.part(".lane-name").textContent = init.agent;
    this.part(".lane-name").classList.toggle("hidden", !many);
    this.decision = new Decision(this.part(".decision"), init, index);
    this.ground = init.world.ground ? [drawing(init.world.ground)] : [];
    this.truth = this.part(".truth-box");
    this.truth.addEventListener("change", () => onTruth(this.truth.checked));
    this.truth.parentElement.hidden = !init.world.truth;
    this.part(".legend").replaceChildren(...init.world.legend.map(([role, text]) => el("li", {}, swatch(role, init.world.kind), text)));
    explain(this.node);
  }

  part(selector) {
    return this.node.querySelector(selector);
  }

  show(run, truth) {
    const { init, index } = this, { world, decision } = run;
    this.truth.checked = truth;
    this.node.classList.toggle("told", truth);
    replace(this.part(".status"), ...status(run, init, index));
    this.part(".chosen").textContent = decision ? init.actions[decision.action] : "none";
    this.decision.show(decision);
    this.showWorld(world);
    this.part(".belief-card").hidden = ["endless", "arms"].includes(init.world.kind) && !world.worlds && !world.expected.length; // the drawing shows all of it
    replace(this.part(".belief"), ...this.belief(world));
  }

  showWorld({ moment, picture, label }) {
    const drawn = moment ? el("div", { class: "stack" }, ...this.ground, drawing(moment))
      : picture ? el("img", { src: picture, alt: `Gymnasium's picture; the agent is at ${label}` })
        : el("p", { class: "muted" }, `There is no picture of this world; the agent is at ${label}.`);
    replace(this.part(".world"), drawn);
  }

  belief({ worlds, expected: rows }) {
    const { init, index } = this, weights = worlds ? [el("div", { class: "expected" }, drawing(worlds))] : [];
    const none = init.believes ? "This belief can't give the probabilities of next states." : `${init.agent} keeps no belief over transitions.`;
    if (!rows.length) return weights.length ? weights : [el("p", { class: "muted" }, none)];
    const ranges = rows.some((row) => row.includes("whisker")) ? ["; lines are where ", term("9 in 10", "9 in 10", index), " lie"] : [];
    return [...weights, el("p", { class: "muted" }, "What each action does from here, by the ", term("posterior mean", "posterior mean", index), ...ranges, ":"), el("div", { class: "expected" }, ...rows.map(drawing))];
  }

  /** The moment in words. */
  words(run) {
    const next = run.decision ? `next ${this.init.actions[run.decision.action]}` : "the run is over";
    return `reward ${plain(run.total)}, at ${run.world.label}, ${next}`;
  }
}

function swatch(role, kind) {
  const shape = role.startsWith("truth") ? svg("path", { d: TRUTH[kind] }) : DISCS.includes(role) ? svg("circle", { cx: 5, cy: 5, r: 4 }) : role === "whisker" ? svg("path", { d: "M0 5h10" }) : svg("rect", { width: 10, height: 10 });
  return svg("svg", { class: "key", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("g", { class: `${role} always` }, shape));
}

/** The numbers of a run: what ends first where episodes end. */
function status(run, init, lane) {
  const { episodes } = run, search = run.decision?.search, facts = [];
  if (episodes) facts.push(["return per episode", "Return per episode", plain(episodes.mean), "per-episode"]);
  if (episodes && episodes.success !== null) facts.push(["success rate", "Success rate", `${plain(100 * episodes.success, 1)} %`, "success"]);
  if (episodes) facts.push(["episodes", "Episodes", String(episodes.count), "episodes"]);
  facts.push(["reward", "Reward", plain(run.total), "total"], ["state", "State", run.world.label, "where"]);
  if (init.simulates) facts.push(["effort", "Simulations", search ? `${search.simulations} in ${plain(1000 * search.seconds, 1)} ms` : "–", "effort"]);
  return facts.map(([name, text, value, kind]) => el("div", {}, el("dt", {}, term(name, text, `${lane}-status`)), el("dd", { class: kind }, value)));
}
