// Small helpers. Text from the server goes in as text nodes only, or as SVG in which the server has escaped it.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An HTML element; children are nodes or text. */
export const el = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/** An SVG element. */
export const svg = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** A small chart: an SVG with a description in words. */
export const picture = (viewBox, description, ...children) => svg("svg", { viewBox, role: "img", "aria-label": description }, ...children);

/** A drawing of the server: parsed as XML, so that nothing in it is HTML or runs. */
export const drawing = (text) => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);

/** Replace what is in a holder; what had the focus and is there again keeps it. */
export function replace(holder, ...content) {
  const active = holder.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  holder.replaceChildren(...content);
  if (active) holder.querySelector(`[data-key="${CSS.escape(active)}"]`)?.focus({ preventScroll: true });
}

/** A number for people: three decimals, a true minus sign; – if there is none. */
export const fixed = (value, digits = 3) => value?.toFixed(digits).replace("-", "−") ?? "–";

/** A number without needless zeros. */
export const plain = (value, digits = 3) => value === null || value === undefined ? "–" : String(Number(value.toFixed(digits))).replace("-", "−");

/** The colour class of an action: six, then again from the first. */
export const actionClass = (action) => `a${action % 6}`;
