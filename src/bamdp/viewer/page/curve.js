// The total reward over the steps of the runs, and where on it the moment is that is shown.

import { byId, el, svg, picture, plain } from "./dom.js";

const WIDTH = 480, HEIGHT = 150, LEFT = 40, BOTTOM = 22, TOP = 8, RIGHT = 10;
const POINTS = 400; // more can't be told apart

let runs = []; // for each agent { totals, lowest, highest }, where totals are those after each step

export function resetCurve(hello) {
  runs = hello.agents.map(() => ({ totals: [0], lowest: 0, highest: 0 }));
  byId("curve-legend").replaceChildren(...(hello.agents.length > 1 ? hello.agents : []).map(({ agent }, i) =>
    el("li", {}, el("span", { class: `key line curve-${i}`, "aria-hidden": "true" }), agent)));
}

export function addToCurve(frame) {
  frame.runs.forEach(({ rewards }, i) => {
    const run = runs[i];
    for (const reward of rewards) {
      const total = run.totals[run.totals.length - 1] + (reward ?? 0);
      run.totals.push(total);
      run.lowest = Math.min(run.lowest, total);
      run.highest = Math.max(run.highest, total);
    }
  });
}

export function showCurve(frame, hello) {
  const last = runs[0].totals.length - 1;
  const right = Math.min(hello.steps, nice(Math.max(10, last)));
  const bottom = Math.min(...runs.map(({ lowest }) => lowest)), top = Math.max(...runs.map(({ highest }) => highest));
  const highest = bottom < 0 ? top : nice(top || 1);
  const digits = Math.max(1, Math.ceil(-Math.log10(highest - bottom)) + 1); // so that the middle of the scale can be told
  const x = (step) => LEFT + (step / right) * (WIDTH - LEFT - RIGHT);
  const y = (total) => HEIGHT - BOTTOM - ((total - bottom) / (highest - bottom)) * (HEIGHT - BOTTOM - TOP);
  const words = runs.map(({ totals }, i) => `${runs.length > 1 ? `${hello.agents[i].agent}: ` : ""}total reward ${plain(totals[frame.step])}`);
  byId("curve").replaceChildren(
    picture(`0 0 ${WIDTH} ${HEIGHT}`, `${words.join(", ")} after ${frame.step} steps`,
      ...[bottom, (bottom + highest) / 2, highest].flatMap((total) => [
        svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(total), y2: y(total), class: "grid" }),
        svg("text", { x: LEFT - 6, y: y(total) + 4, class: "tick end" }, plain(total, digits)),
      ]),
      ...[0, right / 2, right].map((step) =>
        svg("text", { x: x(step), y: HEIGHT - 6, class: step === right ? "tick end" : step ? "tick middle" : "tick" }, plain(step, 0))),
      ...(frame.step < last ? [svg("line", { x1: x(frame.step), x2: x(frame.step), y1: TOP, y2: HEIGHT - BOTTOM, class: "now" })] : []),
      ...runs.flatMap(({ totals }, i) => [
        svg("polyline", { points: line(totals, x, y), class: `curve curve-${i}` }),
        svg("circle", { cx: x(frame.step), cy: y(totals[frame.step] ?? 0), r: 3.5, class: `curve-dot curve-${i}` }),
      ])));
}

function line(totals, x, y) {
  const last = totals.length - 1, every = Math.max(1, Math.ceil(last / POINTS)), points = [];
  for (let step = 0; step <= last; step += every) points.push(step);
  if (last % every) points.push(last);
  return points.map((step) => `${x(step).toFixed(1)},${y(totals[step]).toFixed(1)}`).join(" ");
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function nice(value) {
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * size).find((limit) => limit >= value);
}
