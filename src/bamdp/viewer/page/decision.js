// The decision: what each action is worth, how sure that is, and the search behind it, whose tree unfolds.

import { actionClass, el, fixed, picture, replace, svg } from "./dom.js";
import { term } from "./terms.js";

const WIDTH = 120, HEIGHT = 16, EDGE = 5, MIDDLE = HEIGHT / 2;

export class Decision {
  constructor(holder, init, lane) {
    Object.assign(this, { holder, init, lane, open: new Set() }); // lines that were unfolded stay so from one decision to the next
  }

  show(decision) {
    this.decision = decision;
    replace(this.holder, ...(decision ? this.content(decision) : [el("p", {}, "The run is over.")]));
  }

  content({ values, search }) {
    if (!values.length) return [el("p", { class: "muted" }, `${this.init.agent} tells no more than that.`)];
    if (!search) return [this.table()];
    const size = [`${search.nodes} `, term("nodes", "nodes", this.lane), `, ${search.depth} `, term("steps deep", "steps deep", this.lane)];
    const indices = search.decided === "indices" ? ["The arm with the highest ", term("Gittins index", "Gittins index", this.lane), " is optimal and chosen; the search only shows values. "] : [];
    return [this.table(), el("p", { class: "muted" }, ...indices, "The ", term("search tree", "search tree", this.lane), " has ", ...size, ".")];
  }

  table() {
    const { values, search, measure, ...decision } = this.decision, tried = (action) => !search || search.visits[action] > 0;
    const low = (action) => decision.low[action] ?? values[action], high = (action) => decision.high[action] ?? values[action];
    const x = scaled(values.flatMap((value, action) => (tried(action) ? [value, low(action), high(action)] : [])));
    const ends = search ? null : decision.low.length ? "bounds" : decision.high.length ? "with information" : null, errors = search?.errors.some((error) => error !== null);
    const heads = [["action"], [measure], errors && ["standard error", "±\u00a0s.e."], search && ["visits"], ends && [ends]].filter(Boolean);
    const head = heads.map(([name, text], i) => el("th", { scope: "col", class: i ? "number" : null, colspan: i === 1 ? 2 : null }, term(name, text ?? name, this.lane)));
    const rows = values.flatMap((value, action) => {
      const best = action === decision.action, number = (kind, text) => el("td", { class: `number ${kind}` }, text);
      const cells = [el("td", { class: "plot" }, tried(action) ? whisker(x, low(action), value, high(action), best) : ""), number("value", tried(action) ? fixed(value) : "never tried")];
      if (errors) cells.push(number("error", fixed(search.errors[action])));
      if (search) cells.push(number("visits", String(search.visits[action])));
      if (ends) cells.push(number("ends", `${decision.low.length ? `${fixed(decision.low[action])} to ` : ""}${fixed(decision.high[action])}`));
      const below = search && search.tree.actions.find((edge) => edge.action === action)?.children, key = `${this.lane}-tree/${action}`;
      const name = [this.init.actions[action], best ? el("span", { class: "badge" }, "chosen") : null];
      const unfolded = below?.length && this.open.has(key) ? [el("tr", {}, el("td", { colspan: heads.length + 1 }, this.states(below, search.visits[action], key)))] : [];
      return [el("tr", { class: best ? "best" : null }, el("th", { scope: "row" }, ...(below?.length ? [this.unfolding(key, name)] : name)), ...cells), ...unfolded];
    });
    return el("table", { class: "values" }, el("caption", { class: "hidden" }, "What each action is worth to the agent"), el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
  }

  /** The actions below a node of the tree. */
  actions(node, path) {
    const worth = ({ value }) => [el("span", { class: "worth" }, fixed(value))];
    return el("ul", { class: "tree" }, ...node.actions.map((edge) => this.line(`${path}/${edge.action}`,
      [el("span", { class: `name ${actionClass(edge.action)}` }, this.init.actions[edge.action]), ...visits(edge.visits, node.visits), ...worth(edge)],
      edge.children.length ? (key) => this.states(edge.children, edge.visits, key) : null)));
  }

  states(nodes, all, path) {
    return el("ul", { class: "tree" }, ...nodes.map((node) => this.line(`${path}/${node.state}`, [el("span", { class: "name" }, node.state), ...visits(node.visits, all)],
      node.actions.length ? (key) => this.actions(node, key) : null)));
  }

  line(key, words, below) {
    if (!below) return el("li", { class: "leaf" }, ...words);
    return el("li", {}, this.unfolding(key, words), this.open.has(key) ? below(key) : null);
  }

  unfolding(key, words) {
    const open = this.open.has(key), button = el("button", { type: "button", class: "unfold", "aria-expanded": String(open), "data-key": key }, ...words);
    button.addEventListener("click", () => { this.open[open ? "delete" : "add"](key); this.show(this.decision); });
    return button;
  }
}

/** Where numbers are between the least and the greatest of them. */
function scaled(numbers) {
  const low = Math.min(...numbers), span = Math.max(...numbers) - low || 1;
  return (number) => EDGE + ((number - low) / span) * (WIDTH - 2 * EDGE);
}

function whisker(x, low, value, high, best) {
  return picture(`0 0 ${WIDTH} ${HEIGHT}`, `from ${fixed(low)} to ${fixed(high)}`,
    svg("line", { x1: EDGE, x2: WIDTH - EDGE, y1: MIDDLE, y2: MIDDLE, class: "axis" }),
    svg("line", { x1: x(low), x2: x(high), y1: MIDDLE, y2: MIDDLE, class: "span" }),
    svg("circle", { cx: x(value), cy: MIDDLE, r: best ? 4.5 : 3.5, class: best ? "dot best" : "dot" }));
}

function visits(count, all) {
  const meter = el("span", { class: "share", "aria-hidden": "true" }, el("span"));
  meter.firstChild.style.width = `${Math.round((100 * count) / all)}%`;
  return [meter, el("span", { class: "count" }, count === 1 ? "1 visit" : `${count} visits`)];
}
