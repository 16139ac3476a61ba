// What the words on the page mean, and the tooltips that say so: on hover, on keyboard focus, and to screen readers.

import { byId, el } from "./dom.js";

const TERMS = await (await fetch("terms.json")).json(); // by name

/** A word with its explanation. `lane` makes it one of a kind on the page. */
export function term(name, text = name, lane = "") {
  return el("dfn", { class: "term", tabindex: 0, "data-term": name, "data-key": `${lane}:${name}`, "aria-description": TERMS[name] }, text);
}

/** Give the words and controls of a part of the page that is not made by `term` their explanations. */
export function explain(part) {
  for (const node of part.querySelectorAll("[data-term]")) node.setAttribute(node.matches("dfn") ? "aria-description" : "title", TERMS[node.dataset.term]);
}

let shownAt = null;

export function connectTips() {
  explain(document);
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "touch" && target.closest?.("dfn")) show(target.closest("dfn"));
    else if (!shownAt?.contains(document.activeElement)) hide();
  });
  document.addEventListener("focusin", ({ target }) => { if (target.matches("dfn")) show(target); });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", () => { if (shownAt) show(shownAt); }, { passive: true, capture: true });
}

function show(node) {
  if (!node.isConnected) { hide(); return; }
  const tip = byId("tip");
  shownAt = node;
  tip.textContent = TERMS[node.dataset.term];
  tip.hidden = false;
  const at = node.getBoundingClientRect(), edge = 8, own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(edge, at.left), document.documentElement.clientWidth - own.width - edge);
  const below = at.bottom + edge, fits = below + own.height < innerHeight;
  tip.style.left = `${Math.max(edge, left)}px`;
  tip.style.top = `${fits ? below : Math.max(edge, at.top - own.height - edge)}px`;
}

function hide() {
  shownAt = null;
  byId("tip").hidden = true;
}
