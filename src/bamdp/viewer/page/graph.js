// A world of states: arrows are the posterior mean of what was tried, as wide as they are probable.

import { svg, picture, plain, actionClass } from "./dom.js";
import { head } from "./map.js";

const RADIUS = 0.46;

export function graph(frame, hello, showTruth) {
  const { nodes, truth } = hello.world, world = frame.world;
  const xs = nodes.map(([x]) => x), ys = nodes.map(([, y]) => y);
  const pad = 1.35, left = Math.min(...xs) - pad, right = Math.max(...xs) + pad;
  const room = pad + 0.07 * (right - left), top = Math.min(...ys) - room; // for the widest bows
  const box = [left, top, right - left, Math.max(...ys) + room - top];
  const centre = [left + box[2] / 2, top + box[3] / 2];
  const shown = world.arrows.map(([from, action, to, probability, count]) =>
    arrow(nodes, centre, from, action, to, { width: 0.03 + 0.09 * probability, kind: actionClass(action), opacity: 0.35 + 0.65 * (count / (count + 1)) },
      `action ${hello.actions[action]} in ${nodes[from][2]} leads to ${nodes[to][2]} with probability ${plain(probability)}, tried ${count} times`));
  const real = showTruth ? truth.map(([from, action, to, probability]) =>
    arrow(nodes, centre, from, action, to, { width: 0.05, kind: "true", opacity: 0.3 + 0.7 * probability }, `truly ${plain(probability)}`)) : [];
  return picture(box.join(" "), `Graph of ${nodes.length} states; the agent is in ${world.label}`,
    ...real, ...shown,
    ...nodes.map(([x, y, label], state) => svg("g", {},
      svg("circle", { cx: x, cy: y, r: RADIUS, class: state === world.node ? "node agent" : "node" }),
      svg("text", { x, y: y + 0.15, class: state === world.node ? "label here" : "label" }, label))));
}

/** A curve from one state to another, each action on a bow of its own; to itself, a loop away from the middle. */
function arrow(nodes, centre, from, action, to, { width, kind, opacity }, words) {
  const [x, y] = nodes[from], [endX, endY] = nodes[to];
  const curve = from === to ? loop(x, y, centre, action) : bow(x, y, endX, endY, action);
  const { path, tip: [tipX, tipY], towards: [dx, dy] } = curve;
  return svg("g", { class: kind, opacity: opacity.toFixed(2) },
    svg("path", { d: path, class: "move", "stroke-width": width.toFixed(3) }),
    head(tipX - 0.1 * dx, tipY - 0.1 * dy, dx, dy, 0.1 + width),
    svg("title", {}, words));
}

function bow(x, y, endX, endY, action) {
  const dx = endX - x, dy = endY - y, length = Math.hypot(dx, dy) || 1;
  const bend = (0.16 + 0.02 * length) * length * (action % 2 ? -1 : 1) * (1 + Math.floor(action / 2));
  const viaX = (x + endX) / 2 - (dy / length) * bend, viaY = (y + endY) / 2 + (dx / length) * bend;
  const tip = outside(endX, endY, viaX, viaY), start = outside(x, y, viaX, viaY);
  const towards = unit(endX - viaX, endY - viaY);
  return { path: `M ${start} Q ${viaX},${viaY} ${tip[0] - 0.12 * towards[0]},${tip[1] - 0.12 * towards[1]}`, tip, towards };
}

function loop(x, y, centre, action) {
  const [ox, oy] = x === centre[0] && y === centre[1] ? [0, -1] : unit(x - centre[0], y - centre[1]);
  const turn = (action - 0.5) * 0.7, ux = ox * Math.cos(turn) - oy * Math.sin(turn), uy = ox * Math.sin(turn) + oy * Math.cos(turn);
  const at = (far, side) => [x + ux * far - uy * side, y + uy * far + ux * side];
  const tip = at(0.44, 0.2), control = at(1.25, 0.62);
  const towards = unit(tip[0] - control[0], tip[1] - control[1]);
  return { path: `M ${at(0.42, -0.2)} C ${at(1.25, -0.62)} ${control} ${tip[0] - 0.12 * towards[0]},${tip[1] - 0.12 * towards[1]}`, tip, towards };
}

function unit(dx, dy) {
  const length = Math.hypot(dx, dy) || 1;
  return [dx / length, dy / length];
}

/** Where a line towards (viaX, viaY) leaves the circle of a state. */
function outside(x, y, viaX, viaY) {
  const [dx, dy] = unit(viaX - x, viaY - y);
  return [x + dx * RADIUS, y + dy * RADIUS];
}
