// The top of the search tree, as lists to unfold. What was unfolded stays so from one decision to the next.

import { byId, el, fixed, actionName, actionClass } from "./dom.js";

const open = new Set();

export function showTree(decision, hello) {
  const search = decision ? decision.search : null;
  byId("tree-card").hidden = !search;
  if (!search) return;
  const holder = byId("tree");
  const focused = holder.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const root = search.tree;
  holder.replaceChildren(
    el("p", { class: "muted" }, `${search.nodes} nodes, ${search.depth} steps deep; from ${root.state}:`),
    actions(root, hello, "", decision.action));
  if (focused) holder.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

export function forgetTree() {
  open.clear();
}

function actions(node, hello, path, chosen = null) {
  return el("ul", { class: "tree" }, ...node.actions.map((edge) => {
    const key = `${path}/${edge.action}`;
    const words = [
      el("span", { class: `name ${actionClass(edge.action)}` }, actionName(hello.actions[edge.action])),
      share(edge.visits / node.visits),
      el("span", { class: "count" }, times(edge.visits)),
      el("span", { class: "worth" }, `${fixed(edge.value)} ± ${fixed(edge.error)}`),
      edge.action === chosen ? el("span", { class: "badge" }, "chosen") : null,
    ];
    return folder(key, words, edge.children.length, () =>
      el("ul", { class: "tree" }, ...edge.children.map((child) => state(child, edge, hello, key))));
  }));
}

function state(node, edge, hello, path) {
  const key = `${path}/${node.state}`;
  const words = [
    el("span", { class: "name state" }, node.state),
    share(node.visits / edge.visits),
    el("span", { class: "count" }, times(node.visits)),
  ];
  return folder(key, words, node.actions.length, () => actions(node, hello, key));
}

/** A line that unfolds if there is something below it; what is below is made when it is first looked at. */
function folder(key, words, below, make) {
  if (!below) return el("li", { class: "leaf" }, ...words);
  const summary = el("summary", { "data-key": key }, ...words);
  const details = el("details", { open: open.has(key) }, summary);
  if (open.has(key)) details.append(make());
  details.addEventListener("toggle", () => {
    if (details.open === open.has(key)) return;
    if (details.open) {
      open.add(key);
      if (details.children.length === 1) details.append(make());
    } else {
      open.delete(key);
    }
  });
  return el("li", {}, details);
}

const times = (visits) => (visits === 1 ? "1 visit" : `${visits} visits`);

function share(part) {
  const meter = el("span", { class: "share", "aria-hidden": "true" }, el("span"));
  meter.firstChild.style.width = `${Math.round(100 * part)}%`;
  return meter;
}
