// The infinite grid around the agent. Below it the posterior of the columns, to its left that of the rows.

import { svg, picture, fixed } from "./dom.js";

const UNSEEN = "0", UNSEEN_REWARD = "1", REWARD = "3", TAKEN = "4";
const DEPTH = 4.2; // of the bars: what a probability of 1 takes, in cells
const GAP = 2; // for coordinates
const ROW_BASE = -GAP + 0.1; // where the bars of rows begin, at the left of the map
const columnBase = (size) => size + 1.1; // and those of columns, below it

export const ENDLESS_LEGEND = [
  ["cell unseen", "not seen"], ["cell reward", "reward"], ["cell taken", "taken"],
  ["swatch bar columns", "columns: posterior mean"], ["swatch bar rows", "rows: posterior mean"],
  ["swatch whisker", "9 in 10 lie here"],
];

const STEPS = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] };

export function endless(frame, hello, showTruth) {
  const world = frame.world, size = hello.world.size;
  const left = world.columns[0], top = world.rows[0];
  const place = ([x, y]) => [x - left + 0.5, top - y + 0.5]; // the middle of a cell; y goes up in the world, down on the page
  const margin = world.posterior ? DEPTH + GAP : GAP;
  const inside = svg("svg", { width: size, height: size, viewBox: `0 0 ${size} ${size}` },
    ...cells(world, showTruth), trail(world, place), agent(place(world.place), frame.decision, hello));
  const shapes = [inside, ...coordinates(world, size)];
  if (world.posterior) {
    const { columns, rows } = world.posterior;
    shapes.push(...scales(size), ...columnBars(columns, size, showTruth), ...rowBars(rows, showTruth));
  }
  const words = `Map of ${size} by ${size} cells; the agent is at ${world.label}`;
  return picture(`${-margin - 0.3} -0.15 ${size + margin + 0.45} ${columnBase(size) + (world.posterior ? DEPTH : 0) + 0.5}`, words, ...shapes);
}

function cells(world, showTruth) {
  return world.cells.flatMap((row, y) => [...row].flatMap((kind, x) => {
    const unseen = kind === UNSEEN || kind === UNSEEN_REWARD;
    const shapes = [svg("rect", { x: x + 0.03, y: y + 0.03, width: 0.94, height: 0.94, rx: 0.08, class: unseen ? "cell unseen" : "cell seen" })];
    const here = world.columns[x] === world.place[0] && world.rows[y] === world.place[1];
    if (kind === REWARD) shapes.push(svg("circle", { cx: x + 0.5, cy: y + 0.5, r: here ? 0.46 : 0.26, class: "coin" }));
    if (kind === TAKEN) shapes.push(svg("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.2, class: "coin-taken" }));
    if (kind === UNSEEN_REWARD && showTruth) shapes.push(svg("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.14, class: "coin-hidden" }));
    return shapes;
  }));
}

function trail(world, place) {
  const points = world.trail.map(place).map(([x, y]) => `${x},${y}`).join(" ");
  return svg("polyline", { points, class: "trail" });
}

function coordinates(world, size) {
  const every = (value) => value % 4 === 0;
  return [
    ...world.columns.flatMap((x, i) => every(x) ? [svg("text", { x: i + 0.5, y: size + 0.75, class: "coordinate middle" }, String(x).replace("-", "−"))] : []),
    ...world.rows.flatMap((y, i) => every(y) ? [svg("text", { x: -0.3, y: i + 0.7, class: "coordinate end" }, String(y).replace("-", "−"))] : []),
  ];
}

/** Lines at the probabilities 0, ½ and 1 of both kinds of bars. */
function scales(size) {
  return [0, 0.5, 1].flatMap((part) => {
    const y = columnBase(size) + DEPTH * part, x = ROW_BASE - DEPTH * part;
    return [
      svg("line", { x1: 0, x2: size, y1: y, y2: y, class: "scale" }),
      svg("line", { x1: x, x2: x, y1: 0, y2: size, class: "scale" }),
      svg("text", { x: -0.15, y: y + 0.2, class: "coordinate end" }, String(part)),
      svg("text", { x, y: size + 0.75, class: "coordinate middle" }, String(part)),
    ];
  });
}

function columnBars(lines, size, showTruth) {
  const base = columnBase(size);
  return lines.flatMap((line, i) => {
    const shapes = [svg("rect", { x: i + 0.15, y: base, width: 0.7, height: DEPTH * line.mean, class: bar("columns", line) }, title("column", line, showTruth))];
    if (line.seen) shapes.push(svg("line", { x1: i + 0.5, x2: i + 0.5, y1: base + DEPTH * line.low, y2: base + DEPTH * line.high, class: "whisker" }));
    if (showTruth) shapes.push(svg("line", { x1: i + 0.05, x2: i + 0.95, y1: base + DEPTH * line.truth, y2: base + DEPTH * line.truth, class: "true" }));
    return shapes;
  });
}

function rowBars(lines, showTruth) {
  const base = ROW_BASE;
  return lines.flatMap((line, i) => {
    const shapes = [svg("rect", { x: base - DEPTH * line.mean, y: i + 0.15, width: DEPTH * line.mean, height: 0.7, class: bar("rows", line) }, title("row", line, showTruth))];
    if (line.seen) shapes.push(svg("line", { x1: base - DEPTH * line.low, x2: base - DEPTH * line.high, y1: i + 0.5, y2: i + 0.5, class: "whisker" }));
    if (showTruth) shapes.push(svg("line", { x1: base - DEPTH * line.truth, x2: base - DEPTH * line.truth, y1: i + 0.05, y2: i + 0.95, class: "true" }));
    return shapes;
  });
}

const bar = (kind, line) => `bar ${kind}${line.seen ? "" : " faint"}`;

function title(kind, line, showTruth) {
  const range = line.seen ? `, 9 in 10 between ${fixed(line.low)} and ${fixed(line.high)}` : ", nothing seen of it";
  const truth = showTruth ? `, truly ${fixed(line.truth)}` : "";
  return svg("title", {}, `${kind} ${line.at}: mean ${fixed(line.mean)}${range}${truth}`);
}

/** The agent, and the direction of what it will do. */
export function agent([x, y], decision, hello, size = 1) {
  const step = decision ? STEPS[hello.actions[decision.action]] : null;
  const shapes = [svg("circle", { cx: x, cy: y, r: 0.31 * size, class: "agent" })];
  if (step) {
    const [dx, dy] = step, along = (far, side) => `${x + size * (dx * far - dy * side)},${y + size * (dy * far + dx * side)}`;
    shapes.push(svg("polygon", { points: [along(0.62, 0), along(0.26, 0.26), along(0.26, -0.26)].join(" "), class: "agent" }));
  }
  return svg("g", {}, ...shapes);
}
