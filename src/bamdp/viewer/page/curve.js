// The total reward over the steps of the runs, and where on it the moment is that is shown.

import { byId, el, svg, picture, plain } from "./dom.js";

const HEIGHT = 130, LEFT = 44, BOTTOM = 22, TOP = 8, RIGHT = 10;
const POINTS = 400; // more can't be told apart

let runs = []; // for each agent the totals after each step

export function resetCurve({ agents }) {
  runs = agents.map(() => [0]);
  byId("curve-legend").replaceChildren(...(agents.length > 1 ? agents : []).map(({ agent }, i) =>
    el("li", {}, el("span", { class: `key line curve-${i}`, "aria-hidden": "true" }), agent)));
}

export function addToCurve(frame) {
  frame.runs.forEach(({ rewards }, i) => { for (const reward of rewards) runs[i].push(runs[i].at(-1) + (reward ?? 0)); });
}

export function showCurve({ step: now }, init) {
  const width = Math.max(280, byId("curve").clientWidth), last = runs[0].length - 1, right = Math.min(init.steps, nice(Math.max(10, last)));
  const all = runs.flat(), bottom = all.reduce((a, b) => Math.min(a, b), 0), most = all.reduce((a, b) => Math.max(a, b), 0);
  const top = bottom < 0 ? most : nice(most || 1), digits = Math.max(1, Math.ceil(-Math.log10(top - bottom)) + 1); // so that the middle can be told
  const x = (step) => LEFT + (step / right) * (width - LEFT - RIGHT);
  const y = (total) => HEIGHT - BOTTOM - ((total - bottom) / (top - bottom)) * (HEIGHT - BOTTOM - TOP);
  const across = (total) => [svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(total), y2: y(total), class: "grid" }), svg("text", { x: LEFT - 6, y: y(total) + 4, class: "tick end" }, plain(total, digits))];
  const below = (step) => svg("text", { x: x(step), y: HEIGHT - 6, class: step === right ? "tick end" : step ? "tick middle" : "tick" }, plain(step, 0));
  const curve = (totals, i) => [svg("polyline", { points: line(totals, x, y), class: `curve curve-${i}` }), svg("circle", { cx: x(now), cy: y(totals[now] ?? 0), r: 3.5, class: `curve-dot curve-${i}` })];
  const past = now < last ? [svg("line", { x1: x(now), x2: x(now), y1: TOP, y2: HEIGHT - BOTTOM, class: "now" })] : [];
  const words = runs.map((totals, i) => `${runs.length > 1 ? `${init.agents[i].agent}: ` : ""}total reward ${plain(totals[now])}`);
  byId("curve").replaceChildren(picture(`0 0 ${width} ${HEIGHT}`, `${words.join(", ")} after ${now} steps`,
    ...[bottom, (bottom + top) / 2, top].flatMap(across), ...[0, right / 2, right].map(below), ...past, ...runs.flatMap(curve)));
}

function line(totals, x, y) {
  const last = totals.length - 1, every = Math.max(1, Math.ceil(last / POINTS));
  return totals.flatMap((total, step) => (step % every && step < last ? [] : [`${x(step).toFixed(1)},${y(total).toFixed(1)}`])).join(" ");
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function nice(value) {
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * size).find((limit) => limit >= value);
}
