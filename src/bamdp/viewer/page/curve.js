// The total reward over the steps of the run.

import { byId, svg, picture, plain } from "./dom.js";

const WIDTH = 480, HEIGHT = 150, LEFT = 40, BOTTOM = 22, TOP = 8, RIGHT = 10;
const POINTS = 400; // more can't be told apart

let totals = [0];

export function resetCurve() {
  totals = [0];
}

export function showCurve(frame, steps) {
  for (const reward of frame.rewards) totals.push(totals[totals.length - 1] + (reward ?? 0));
  const last = totals.length - 1;
  const right = Math.min(steps, nice(Math.max(10, last)));
  const bottom = Math.min(0, ...totals), top = Math.max(1, ...totals);
  const highest = bottom < 0 ? top : nice(top);
  const x = (step) => LEFT + (step / right) * (WIDTH - LEFT - RIGHT);
  const y = (total) => HEIGHT - BOTTOM - ((total - bottom) / (highest - bottom)) * (HEIGHT - BOTTOM - TOP);
  const every = Math.max(1, Math.ceil(last / POINTS));
  const points = totals.map((total, step) => [step, total]).filter(([step]) => step % every === 0 || step === last);
  const line = points.map(([step, total]) => `${x(step).toFixed(1)},${y(total).toFixed(1)}`).join(" ");
  byId("curve").replaceChildren(
    picture(`0 0 ${WIDTH} ${HEIGHT}`, `Total reward ${plain(totals[last])} after ${last} steps`,
      ...[bottom, (bottom + highest) / 2, highest].flatMap((total) => [
        svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(total), y2: y(total), class: "grid" }),
        svg("text", { x: LEFT - 6, y: y(total) + 4, class: "tick end" }, plain(total, 1)),
      ]),
      ...[0, right / 2, right].map((step) =>
        svg("text", { x: x(step), y: HEIGHT - 6, class: step === right ? "tick end" : step ? "tick middle" : "tick" }, plain(step, 0))),
      svg("polyline", { points: line, class: "curve" }),
      svg("circle", { cx: x(last), cy: y(totals[last]), r: 3.5, class: "dot best" })));
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function nice(value) {
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * size).find((limit) => limit >= value);
}
