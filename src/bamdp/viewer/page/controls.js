// Buttons and fields: each sends one message. What they show is what the server has said, not what was clicked.

import { byId, el } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 120, 1000];

export function connectControls(send) {
  byId("play").addEventListener("click", () => send({ type: byId("play").dataset.playing ? "pause" : "play" }));
  byId("step").addEventListener("click", () => send({ type: "step" }));
  byId("speed").addEventListener("input", () => { showSpeed(); send({ type: "speed", value: speed() }); });
  byId("simulations").addEventListener("change", () => whole("simulations", (value) => send({ type: "simulations", value })));
  byId("restart").addEventListener("click", () => start(send));
  byId("next-seed").addEventListener("click", () => { byId("seed").stepUp(); start(send); });
  byId("seed").addEventListener("keydown", (event) => { if (event.key === "Enter") start(send); });
  byId("prior").addEventListener("change", () => start(send));
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, button, summary, a") || event.ctrlKey || event.altKey || event.metaKey) return;
    const button = { " ": "play", ArrowRight: "step" }[event.key];
    if (!button) return;
    event.preventDefault();
    byId(button).click();
  });
  showSpeed();
}

export const speed = () => SPEEDS[byId("speed").valueAsNumber];

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
  byId("simulations-label").hidden = byId("effort").parentElement.hidden = !hello.simulates;
  byId("prior-label").hidden = hello.prior === null;
  byId("prior").replaceChildren(...hello.priors.map(({ name, text }) => el("option", { value: name }, text)));
  byId("prior").value = hello.prior ?? hello.priors[0].name;
}

export function showSimulations(simulations) {
  const field = byId("simulations");
  if (field !== document.activeElement) field.value = simulations ?? "";
  field.placeholder = simulations === null ? "by time" : "";
}

export function showPlaying(playing) {
  const button = byId("play");
  button.dataset.playing = playing ? "yes" : "";
  byId("play-icon").setAttribute("d", playing ? "M2 1h3v10H2zM7 1h3v10H7z" : "M2 1v10l9-5z");
  byId("play-text").textContent = playing ? "Pause" : "Play";
}

export function showDone(done) {
  byId("play").disabled = byId("step").disabled = done;
}
