// Probabilities as horizontal bars: mean, the middle nine tenths of the posterior, and the truth.

import { svg, picture, fixed } from "./dom.js";

const WIDTH = 100, HEIGHT = 12;

export function probabilityBar({ mean, low, high, truth }, color, showTruth) {
  const words = [`mean ${fixed(mean)}`];
  if (low !== null && low !== undefined) words.push(`9 in 10 between ${fixed(low)} and ${fixed(high)}`);
  if (showTruth && truth !== null) words.push(`truly ${fixed(truth)}`);
  const bar = picture(
    `0 0 ${WIDTH} ${HEIGHT}`,
    words.join(", "),
    svg("rect", { x: 0, y: 2, width: WIDTH, height: HEIGHT - 4, class: "track" }),
    svg("rect", { x: 0, y: 2, width: WIDTH * (mean ?? 0), height: HEIGHT - 4, class: `bar ${color}` }),
  );
  bar.classList.add("probability");
  bar.setAttribute("preserveAspectRatio", "none");
  if (low !== null && low !== undefined) {
    bar.append(svg("line", { x1: WIDTH * low, x2: WIDTH * high, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "whisker" }));
    for (const end of [low, high]) {
      bar.append(svg("line", { x1: WIDTH * end, x2: WIDTH * end, y1: 3.5, y2: HEIGHT - 3.5, class: "whisker" }));
    }
  }
  if (showTruth && truth !== null) {
    bar.append(svg("line", { x1: WIDTH * truth, x2: WIDTH * truth, y1: 0, y2: HEIGHT, class: "true" }));
  }
  return bar;
}
