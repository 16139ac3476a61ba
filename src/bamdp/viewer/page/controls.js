// Buttons and fields: each sends one message. What they show is what the server has said, not what was clicked.

import { byId } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 120, 1000];
const KEYS = { " ": "play", ArrowRight: "step", ArrowLeft: "back", Home: "first", End: "present" };

/** `act` has what goes beyond a message: play, step, back, first, present, moment, speed. */
export function connectControls(send, act) {
  const on = (id, event, use) => byId(id).addEventListener(event, use);
  for (const id of ["play", "step", "back"]) on(id, "click", () => act[id]());
  on("moment", "input", () => act.moment(byId("moment").valueAsNumber));
  on("speed", "input", () => { showSpeed(); act.speed(); });
  on("simulations", "change", () => whole("simulations", (value) => send({ type: "simulations", value })));
  const start = () => whole("seed", (value) => send({ type: "start", value }));
  on("restart", "click", start);
  on("seed", "keydown", ({ key }) => { if (key === "Enter") start(); });
  on("film", "click", () => { showFilming(true); send({ type: "film" }); });
  document.addEventListener("keydown", (event) => pressed(event, act));
  document.addEventListener("click", release);
  showSpeed();
}

function pressed(event, act) {
  if (event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
  const own = event.target.closest("input, select, button, summary, a"); // has a use for the key itself
  if (own && !(own.type === "range" && event.key === " ")) return;
  event.preventDefault();
  act[KEYS[event.key]]();
}

/** After a click with the mouse, keys are for the run again: a box that was ticked stays ticked when Space plays. */
function release(event) {
  if (event.detail > 0 && event.target.closest("button, summary, label, input[type=checkbox]")) document.activeElement.closest("button, summary, [type=checkbox]")?.blur();
}

/** Go on with the whole number in a field or, if it has none, say so there. */
function whole(id, use) {
  const field = byId(id);
  if (field.reportValidity() && Number.isInteger(field.valueAsNumber)) use(field.valueAsNumber);
}

export const speed = () => SPEEDS[byId("speed").valueAsNumber];

/** Choose the nearest of the speeds there are. */
export function setSpeed(value) {
  const near = SPEEDS.map((speed) => Math.abs(Math.log(speed / value)));
  byId("speed").value = near.indexOf(Math.min(...near));
  showSpeed();
}

function showSpeed() {
  byId("speed-text").textContent = speed() >= 1000 ? "fastest" : `${speed()} / s`;
  byId("speed").setAttribute("aria-valuetext", byId("speed-text").textContent);
}

/** The simulations that all searching agents have in common; null if they differ or there are none. */
export function commonSimulations(runs, init) {
  const found = new Set(runs.filter((_, i) => init.agents[i].simulates).map((run) => run.simulations));
  return found.size === 1 ? [...found][0] : null;
}

export function showSimulations({ runs }, init) {
  const field = byId("simulations"), common = commonSimulations(runs, init);
  if (field !== document.activeElement) field.value = common ?? "";
  field.placeholder = common !== null ? "" : runs.some((run) => run.simulations) ? "differ" : "by time";
}

export function showPlaying(playing) {
  byId("play-icon").setAttribute("d", playing ? "M2 1h3v10H2zM7 1h3v10H7z" : "M2 1v10l9-5z");
  byId("play-text").textContent = playing ? "Pause" : "Play";
}

export function showFilming(busy) {
  byId("film").disabled = busy;
  byId("film").textContent = busy ? "Making it …" : "Save film";
}

/** Where on the time line: `at` is the index of the moment shown, of `count`; it begins at the step `first` and ends at the present. */
export function showTime({ step, at, count, first, steps, over }) {
  const past = at < count - 1, slider = byId("moment");
  Object.assign(slider, { max: count - 1, value: at });
  slider.setAttribute("aria-valuetext", `step ${step}${past ? ", in the past" : ""}`);
  byId("moment-first").textContent = first || ""; // where the first moments are no longer kept
  byId("moment-last").textContent = over ? "end" : "now";
  byId("at-step").textContent = step;
  byId("of-steps").textContent = steps;
  byId("past-note").textContent = past ? " – the past" : over ? " – the end" : "";
  const off = { back: at === 0, play: over, step: over && !past };
  for (const [id, disabled] of Object.entries(off)) byId(id).disabled = disabled;
  document.body.classList.toggle("past", past);
}
