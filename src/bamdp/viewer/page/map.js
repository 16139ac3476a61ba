// A world of cells: where the agent was, and where each action that it tried leads on average.

import { svg, picture, actionClass } from "./dom.js";
import { agent } from "./endless.js";

export function cellMap(frame, hello, showTruth) {
  const { cells, marks, walls, truth } = hello.world, world = frame.world;
  const kinds = new Map(marks.map(([x, y, mark]) => [`${x},${y}`, KINDS[mark] ?? ""]));
  const xs = cells.map(([x]) => x), ys = cells.map(([, y]) => y);
  const left = Math.min(...xs), top = Math.min(...ys);
  const width = Math.max(...xs) - left + 1, height = Math.max(...ys) - top + 1;
  const most = Math.max(1, ...world.visits.map(([, , count]) => count));
  const middle = ([x, y]) => [x + 0.5, y + 0.5];
  return picture(`${left - 0.1} ${top - 0.1} ${width + 0.2} ${height + 0.2}`, `Map of ${cells.length} cells; the agent is at ${world.label}`,
    svg("rect", { x: left - 0.1, y: top - 0.1, width: width + 0.2, height: height + 0.2, rx: 0.15, class: "wall" }),
    ...cells.map(([x, y]) => svg("rect", { x: x + 0.03, y: y + 0.03, width: 0.94, height: 0.94, rx: 0.06, class: `cell ${kinds.get(`${x},${y}`) ?? ""}` })),
    ...world.visits.map(([x, y, count]) => heat(x, y, count, most)),
    ...marks.map(([x, y, mark]) => svg("text", { x: x + 0.09, y: y + 0.32, class: "mark" }, mark)),
    ...walls.map(wall),
    ...pieces(world.trail).map((piece) => svg("polyline", { points: piece.map(middle).map(String).join(" "), class: "trail thin" })),
    ...(showTruth ? truth : []).map(([x, y, , dx, dy]) => arrow(x, y, dx, dy, { kind: "true", opacity: 0.8, size: 0.06 }, "the truth")),
    ...world.moves.map(([x, y, action, dx, dy, count]) => arrow(x, y, dx, dy,
      { kind: actionClass(action), opacity: 0.3 + 0.7 * (count / (count + 2)) }, `${hello.actions[action]}: tried ${count} times`)),
    agent(middle(world.place), frame.decision, hello, 0.75));
}

const KINDS = { G: "goal", H: "hazard", C: "hazard" }; // cells with these marks have colours

/** A line between two neighbouring cells. */
function wall([x, y, nextX, nextY]) {
  const [middleX, middleY] = [(x + nextX + 1) / 2, (y + nextY + 1) / 2], [alongX, alongY] = [Math.abs(nextY - y) / 2, Math.abs(nextX - x) / 2];
  return svg("line", { x1: middleX - alongX, x2: middleX + alongX, y1: middleY - alongY, y2: middleY + alongY, class: "between" });
}

/** A trail cut where it jumps, as from the goal to the start. */
function pieces(trail) {
  const result = [];
  trail.forEach(([x, y], i) => {
    const [lastX, lastY] = trail[Math.max(0, i - 1)];
    if (i === 0 || Math.hypot(x - lastX, y - lastY) > 1.5) result.push([]);
    result[result.length - 1].push([x, y]);
  });
  return result;
}

function heat(x, y, count, most) {
  const strength = 0.08 + 0.42 * Math.sqrt(count / most);
  return svg("rect", { x: x + 0.03, y: y + 0.03, width: 0.94, height: 0.94, rx: 0.06, class: "heat", opacity: strength.toFixed(2) },
    svg("title", {}, `visited ${count} times`));
}

/** An arrow from the middle of a cell, no longer than the cell; a dot if it leads nowhere. */
function arrow(x, y, dx, dy, { kind, opacity, size = 0.1 }, words) {
  const length = Math.hypot(dx, dy), reach = length ? Math.min(0.42, 0.42 * length) / length : 0;
  const at = { x1: x + 0.5, y1: y + 0.5, x2: x + 0.5 + dx * reach, y2: y + 0.5 + dy * reach };
  const shapes = length < 0.05 ? [svg("circle", { cx: at.x1, cy: at.y1, r: 0.06, class: "end" })]
    : [svg("line", { ...at, class: "move" }), head(at.x2, at.y2, dx / length, dy / length, size)];
  return svg("g", { class: kind, opacity: opacity.toFixed(2) }, ...shapes, svg("title", {}, words));
}

/** The head of an arrow at (x, y) that points along (dx, dy). */
export function head(x, y, dx, dy, size) {
  const corner = (far, side) => `${x + size * (dx * far - dy * side)},${y + size * (dy * far + dx * side)}`;
  return svg("polygon", { points: [corner(0.7, 0), corner(-0.7, 0.7), corner(-0.7, -0.7)].join(" "), class: "end" });
}
