// The top of the search tree, as lists to unfold. What was unfolded stays so from one decision to the next.

import { el, fixed, replace, actionName, actionClass } from "./dom.js";
import { term } from "./terms.js";

export class Tree {
  constructor(holder, card, lane) {
    this.holder = holder;
    this.card = card;
    this.lane = lane;
    this.open = new Set();
  }

  show(decision, hello) {
    const search = decision ? decision.search : null;
    this.card.hidden = !search;
    if (!search) return;
    const root = search.tree;
    replace(this.holder,
      el("p", { class: "muted" }, `${search.nodes} `, term("nodes", "nodes", this.lane), `, ${search.depth} `, term("steps deep", "steps deep", this.lane), `; from ${root.state}:`),
      actions(this, root, hello, `${this.lane}-tree`, decision.action));
  }

  /** A line that unfolds if there is something below it; what is below is made when it is first looked at. */
  folder(key, words, below, make) {
    if (!below) return el("li", { class: "leaf" }, ...words);
    const summary = el("summary", { "data-key": key }, ...words);
    const details = el("details", { open: this.open.has(key) }, summary);
    if (this.open.has(key)) details.append(make());
    details.addEventListener("toggle", () => {
      if (details.open === this.open.has(key)) return;
      if (details.open) {
        this.open.add(key);
        if (details.children.length === 1) details.append(make());
      } else {
        this.open.delete(key);
      }
    });
    return el("li", {}, details);
  }
}

function actions(tree, node, hello, path, chosen = null) {
  return el("ul", { class: "tree" }, ...node.actions.map((edge) => {
    const key = `${path}/${edge.action}`;
    const words = [
      el("span", { class: `name ${actionClass(edge.action)}` }, actionName(hello.actions[edge.action])),
      share(edge.visits / node.visits),
      el("span", { class: "count" }, times(edge.visits)),
      el("span", { class: "worth" }, `${fixed(edge.value)} ± ${fixed(edge.error)}`),
      edge.action === chosen ? el("span", { class: "badge" }, "chosen") : null,
    ];
    return tree.folder(key, words, edge.children.length, () =>
      el("ul", { class: "tree" }, ...edge.children.map((child) => state(tree, child, edge, hello, key))));
  }));
}

function state(tree, node, edge, hello, path) {
  const key = `${path}/${node.state}`;
  const words = [
    el("span", { class: "name state" }, node.state),
    share(node.visits / edge.visits),
    el("span", { class: "count" }, times(node.visits)),
  ];
  return tree.folder(key, words, node.actions.length, () => actions(tree, node, hello, key));
}

const times = (visits) => (visits === 1 ? "1 visit" : `${visits} visits`);

function share(part) {
  const meter = el("span", { class: "share", "aria-hidden": "true" }, el("span"));
  meter.firstChild.style.width = `${Math.round(100 * part)}%`;
  return meter;
}
