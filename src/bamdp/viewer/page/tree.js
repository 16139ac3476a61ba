// The top of the search tree, as lists to unfold. What was unfolded stays so from one decision to the next.

import { el, fixed, replace, actionClass } from "./dom.js";
import { term } from "./terms.js";

export class Tree {
  constructor(holder, card, lane) {
    Object.assign(this, { holder, card, lane, open: new Set() });
  }

  show(decision, init) {
    const search = decision?.search;
    this.card.hidden = !search;
    if (!search) return;
    replace(this.holder,
      el("p", { class: "muted" }, `${search.nodes} `, term("nodes", "nodes", this.lane), `, ${search.depth} `, term("steps deep", "steps deep", this.lane), `; from ${search.tree.state}:`),
      this.actions(search.tree, init, `${this.lane}-tree`, decision.action));
  }

  actions(node, init, path, chosen = null) {
    return el("ul", { class: "tree" }, ...node.actions.map((edge) => {
      const key = `${path}/${edge.action}`, worth = el("span", { class: "worth" }, `${fixed(edge.value)} ± ${fixed(edge.error)}`);
      const words = [el("span", { class: `name ${actionClass(edge.action)}` }, init.actions[edge.action]), ...visits(edge.visits, node.visits), worth, edge.action === chosen ? el("span", { class: "badge" }, "chosen") : null];
      return this.line(key, words, edge.children.length, () => el("ul", { class: "tree" }, ...edge.children.map((child) => this.state(child, edge, init, key))));
    }));
  }

  state(node, edge, init, path) {
    const key = `${path}/${node.state}`, words = [el("span", { class: "name state" }, node.state), ...visits(node.visits, edge.visits)];
    return this.line(key, words, node.actions.length, () => this.actions(node, init, key));
  }

  /** A line that unfolds if there is something below it; what is below is made when it is first looked at. */
  line(key, words, below, make) {
    if (!below) return el("li", { class: "leaf" }, ...words.filter(Boolean));
    const details = el("details", { open: this.open.has(key) }, el("summary", { "data-key": key }, ...words.filter(Boolean)));
    const fill = () => { if (details.open && details.children.length === 1) details.append(make()); };
    fill();
    details.addEventListener("toggle", () => { this.open[details.open ? "add" : "delete"](key); fill(); });
    return el("li", {}, details);
  }
}

function visits(count, all) {
  const meter = el("span", { class: "share", "aria-hidden": "true" }, el("span"));
  meter.firstChild.style.width = `${Math.round((100 * count) / all)}%`;
  return [meter, el("span", { class: "count" }, count === 1 ? "1 visit" : `${count} visits`)];
}
