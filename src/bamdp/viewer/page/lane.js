// One agent's part of the page: its numbers, world, decision, search tree and belief.

import { byId, el, plain, replace, actionName } from "./dom.js";
import { showBelief, showsTransitions } from "./belief.js";
import { showDecision } from "./decision.js";
import { Tree } from "./tree.js";
import { explain, term } from "./terms.js";
import { showLegend, showWorld } from "./world.js";

export class Lane {
  constructor(hello, index, many, events) {
    this.hello = hello;
    this.index = index;
    this.node = byId("lane").content.cloneNode(true).firstElementChild;
    this.node.setAttribute("aria-label", hello.agent);
    this.part(".lane-name").textContent = hello.agent;
    this.part(".lane-name").classList.toggle("hidden", !many);
    this.tree = new Tree(this.part(".tree-holder"), this.part(".tree-card"), index);
    this.events = events;
    this.truth = this.part(".truth");
    this.truth.addEventListener("change", () => events.truth(this.truth.checked));
    explain(this.node);
    showLegend(this.part(".legend"), hello, index);
  }

  part(selector) {
    return this.node.querySelector(selector);
  }

  /** Where there is room for the curve. */
  get roomy() {
    return this.part(showsTransitions(this.hello) ? ".left" : ".right");
  }

  show(run, truth, present) {
    const { hello, index } = this;
    this.truth.checked = truth;
    replace(this.part(".status"), ...status(run, hello, index));
    showDecision(this.part(".decision"), run.decision, hello, index, present ? this.events.certify : null);
    this.tree.show(run.decision, hello);
    showWorld(this.part(".world"), run, hello, truth, index);
    this.part(".belief-card").hidden = !showsTransitions(hello);
    showBelief(this.part(".belief"), run, hello, truth, index);
  }

  /** The moment in words. */
  words(run) {
    const next = run.decision ? `next ${actionName(this.hello.actions[run.decision.action])}` : "the run is over";
    return `reward ${plain(run.total)}, at ${run.world.label}, ${next}`;
  }
}

/** The numbers of a run: what ends first where episodes end. */
function status(run, hello, lane) {
  const { episodes } = run, search = run.decision ? run.decision.search : null;
  const facts = [];
  if (episodes) {
    facts.push(["return per episode", "Return per episode", plain(episodes.mean), "per-episode"]);
    if (episodes.success !== null) facts.push(["success rate", "Success rate", `${plain(100 * episodes.success, 1)} %`, "success"]);
    facts.push(["episodes", "Episodes", String(episodes.count), "episodes"]);
  }
  facts.push(["reward", "Reward", plain(run.total), "total"]);
  facts.push(["per step", "Per step", run.step ? plain(run.total / run.step) : "–", "rate"]);
  facts.push(["state", "State", run.world.label, "where"]);
  if (hello.simulates) facts.push(["effort", "Simulations", search ? `${search.simulations} in ${plain(1000 * search.seconds, 1)} ms` : "–", "effort"]);
  return facts.map(([name, text, value, kind]) =>
    el("div", {}, el("dt", {}, term(name, text, `${lane}-status`)), el("dd", { class: kind }, value)));
}
