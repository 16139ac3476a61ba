// Small helpers. Text from the server goes in as text nodes only.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An HTML element; children are nodes or text. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** An SVG element. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** A picture: an SVG with a description in words. */
export function picture(viewBox, description, ...children) {
  return svg("svg", { viewBox, role: "img", "aria-label": description }, ...children);
}

/** Replace what is in a holder; what had the focus and is there again keeps it. */
export function replace(holder, ...content) {
  const active = holder.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  holder.replaceChildren(...content);
  if (active) holder.querySelector(`[data-key="${CSS.escape(active)}"]`)?.focus({ preventScroll: true });
}

/** A number for people: three decimals, a true minus sign; – if there is none. */
export function fixed(value, digits = 3) {
  return value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−");
}

/** A number without needless zeros. */
export function plain(value, digits = 3) {
  return value === null || value === undefined ? "–" : String(Number(value.toFixed(digits))).replace("-", "−");
}

export const ARROWS = { up: "↑", right: "→", down: "↓", left: "←" };

/** An action's name, with an arrow if it is a direction. */
export function actionName(name) {
  return ARROWS[name] ? `${ARROWS[name]} ${name}` : /^\d+$/.test(name) ? `action ${name}` : name;
}

/** The colour class of an action: six, then again from the first. */
export const actionClass = (action) => `a${action % 6}`;
