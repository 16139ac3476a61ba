// Buttons and fields: each sends one message. What they show is what the server has said, not what was clicked.

import { byId, el } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 120, 1000];

/** `act` has what goes beyond a message: play, step, back, first, present, moment, speed. */
export function connectControls(send, act) {
  byId("play").addEventListener("click", () => act.play());
  byId("step").addEventListener("click", () => act.step());
  byId("back").addEventListener("click", () => act.back());
  byId("present").addEventListener("click", () => act.present());
  byId("moment").addEventListener("input", () => act.moment(byId("moment").valueAsNumber));
  byId("speed").addEventListener("input", () => { showSpeed(); act.speed(); });
  byId("simulations").addEventListener("change", () => whole("simulations", (value) => send({ type: "simulations", value })));
  byId("restart").addEventListener("click", () => start(send));
  byId("next-seed").addEventListener("click", () => { byId("seed").stepUp(); start(send); });
  byId("seed").addEventListener("keydown", (event) => { if (event.key === "Enter") start(send); });
  byId("prior").addEventListener("change", () => start(send));
  byId("film").addEventListener("click", () => { showFilming(true); send({ type: "film", format: byId("film-format").value }); });
  document.addEventListener("keydown", (event) => pressed(event, act));
  document.addEventListener("click", release);
  showSpeed();
}

const KEYS = { " ": "play", ArrowRight: "step", ArrowLeft: "back", Home: "first", End: "present" };

function pressed(event, act) {
  if (event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
  const own = event.target.closest("input, select, button, summary, a"); // has a use for the key itself
  if (own && !(own.type === "range" && event.key === " ")) return;
  event.preventDefault();
  act[KEYS[event.key]]();
}

/** After a click with the mouse, keys are for the run again: a box that was ticked stays ticked when Space plays. */
function release(event) {
  const node = event.target.closest("button, summary, input[type=checkbox]");
  if (event.detail > 0 && node && node === document.activeElement) node.blur();
}

export const speed = () => SPEEDS[byId("speed").valueAsNumber];

/** Choose the nearest of the speeds there are. */
export function setSpeed(value) {
  const near = SPEEDS.map((speed) => Math.abs(Math.log(speed / value)));
  byId("speed").value = near.indexOf(Math.min(...near));
  showSpeed();
}

function showSpeed() {
  const text = speed() >= 1000 ? "as fast as it goes" : `${speed()} per second`;
  byId("speed-text").textContent = text;
  byId("speed").setAttribute("aria-valuetext", text);
}

function start(send) {
  whole("seed", (seed) => send({ type: "start", seed, prior: byId("prior").value }));
}

/** Go on with the whole number in a field or, if it has none, say so there. */
function whole(id, use) {
  const field = byId(id);
  if (field.reportValidity() && Number.isInteger(field.valueAsNumber)) use(field.valueAsNumber);
}

export function showSettings(hello) {
  byId("seed").value = hello.seed;
  byId("simulations-label").hidden = !hello.agents.some((agent) => agent.simulates);
  byId("prior-label").hidden = hello.agents.every((agent) => agent.prior === null);
  byId("prior").replaceChildren(...hello.priors.map(({ name, text }) => el("option", { value: name }, text)));
  byId("prior").value = hello.prior;
}

/** The simulations that all searching agents have in common; null if they differ or there are none. */
export function commonSimulations(frame, hello) {
  const found = new Set(frame.runs.filter((_, i) => hello.agents[i].simulates).map((run) => run.simulations));
  return found.size === 1 ? [...found][0] : null;
}

export function showSimulations(frame, hello) {
  const field = byId("simulations"), common = commonSimulations(frame, hello);
  if (field !== document.activeElement) field.value = common ?? "";
  field.placeholder = common !== null ? "" : frame.runs.some((run) => run.simulations) ? "differ" : "by time";
}

export function showPlaying(playing) {
  byId("play-icon").setAttribute("d", playing ? "M2 1h3v10H2zM7 1h3v10H7z" : "M2 1v10l9-5z");
  byId("play-text").textContent = playing ? "Pause" : "Play";
}

export function showFilming(busy) {
  byId("film").disabled = busy;
  byId("film").textContent = busy ? "Making it …" : "Save film";
}

/** Where on the time line: `at` is the index of the moment shown, of `count`. */
export function showTime({ step, at, count, steps, over }) {
  const past = at < count - 1, slider = byId("moment");
  slider.max = count - 1;
  slider.value = at;
  slider.setAttribute("aria-valuetext", `step ${step}${past ? ", in the past" : ""}`);
  byId("at-step").textContent = step;
  byId("of-steps").textContent = steps;
  byId("past-note").textContent = past ? " – the past" : over ? " – the end" : "";
  byId("back").disabled = at === 0;
  byId("present").disabled = !past;
  byId("play").disabled = over;
  byId("step").disabled = over && !past;
  document.body.classList.toggle("past", past);
}

export function disableAll() {
  for (const id of ["play", "step", "film"]) byId(id).disabled = true;
}
