// The page: one socket; the server sends init for each new run, then frames.

import { byId, el } from "./dom.js";
import { commandOf, fits, readAddress, writeAddress } from "./address.js";
import { commonSimulations, connectControls, setSpeed, showFilming, showPlaying, showSimulations, showTime, speed } from "./controls.js";
import { resetCurve, addToCurve, showCurve } from "./curve.js";
import { Lane } from "./lane.js";
import { forgetMoments, indexOfStep, keepMoment, momentAt, momentCount, stepAt } from "./moments.js";
import { connectTips } from "./terms.js";

let socket = null, init = null, lanes = [], playing = false, truth = false;
let asked = readAddress(); // what the address asks for, until the server is asked for it
let goal = null; // the step that is being played to
let frame = null, at = 0, over = false; // the moment that is shown, its index, and whether the run has ended

const HANDLERS = {
  init: begin,
  frame: arrive,
  playing: ({ value }) => { setPlaying(value); if (!value) goal = null; if (frame) remember(); },
  film: save,
  error: ({ message }) => { showFilming(false); goal = null; complain(message); },
};

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
  socket.addEventListener("open", () => { link("connected"); send({ type: "speed", value: speed() }); });
  socket.addEventListener("message", ({ data }) => { const message = JSON.parse(data); HANDLERS[message.type](message, data); });
  socket.addEventListener("close", lost);
}

function send(message) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function setPlaying(value) {
  playing = value;
  showPlaying(value);
  if (!value && frame) announce();
}

function lost() {
  setPlaying(false);
  for (const id of ["play", "step", "film"]) byId(id).disabled = true;
  const again = el("button", { type: "button" }, "Connect again");
  again.addEventListener("click", () => { asked = readAddress(); connect(); });
  link("The connection is lost; is bamdp watch still running? ", again);
}

const link = (...content) => byId("link").replaceChildren(...content);

function begin(message) {
  init = message;
  frame = null;
  resetCurve(init);
  forgetMoments();
  const names = init.agents.map(({ agent }) => agent), many = names.length > 1;
  byId("title").textContent = document.title = `${names.join(" and ")} in ${init.domain}`;
  byId("description").textContent = init.description;
  byId("about-list").replaceChildren(...[["World", init.about], ["Prior", init.prior], ...init.agents.map(({ agent, about }) => [many ? agent : "Agent", about])]
    .flatMap(([name, about]) => [el("dt", {}, name), el("dd", {}, about)]));
  byId("error").hidden = true;
  showFilming(false);
  lanes = init.agents.map((agent, i) => new Lane(agent, i, many, setTruth));
  byId("lanes").classList.toggle("pair", many);
  byId("lanes").replaceChildren(...lanes.map(({ node }) => node));
  byId("seed").value = init.seed;
  byId("simulations-label").hidden = !init.agents.some(({ simulates }) => simulates);
  if (asked) ask();
}

/** Ask for what the address names, once. */
function ask() {
  const wanted = asked;
  asked = null;
  if (!fits(wanted, init)) return complain(`This link is for something else than this server shows: stop it and run ${commandOf(wanted)}`);
  if (wanted.speed) { setSpeed(wanted.speed); send({ type: "speed", value: speed() }); }
  truth = wanted.truth;
  const { seed, simulations, step } = wanted, other = simulations !== null && simulations !== commonSimulations(init.agents, init);
  if (other) send({ type: "simulations", value: simulations });
  if (other || (seed !== null && seed !== init.seed)) send({ type: "start", value: seed ?? init.seed });
  if (!step) return;
  goal = Math.min(step, init.steps);
  send({ type: "go", value: goal });
}

function arrive(message, text) {
  const present = !frame || at === momentCount() - 1;
  over = message.done;
  keepMoment(message.step, text);
  addToCurve(message);
  if (present) show(momentCount() - 1, message); else show(indexOfStep(frame.step), frame);
}

/** Show a moment, by its index. */
function show(index, moment = momentAt(index)) {
  at = index;
  frame = moment;
  showTime({ step: frame.step, at, count: momentCount(), first: stepAt(0), steps: init.steps, over });
  showSimulations(frame, init);
  showViews();
  showCurve(frame, init);
  if (!playing) announce();
  remember();
}

const showViews = () => lanes.forEach((lane, i) => lane.show(frame.runs[i], truth));

function setTruth(value) {
  truth = value;
  if (frame) showViews();
  remember();
}

function remember() {
  if (goal === null) writeAddress(init, { step: frame.step, speed: speed(), simulations: commonSimulations(frame.runs, init), truth }); // else not there yet
}

const ACTIONS = {
  play() { if (at < momentCount() - 1) show(momentCount() - 1); if (!over || playing) send({ type: playing ? "pause" : "play" }); },
  step() { if (at < momentCount() - 1) show(at + 1); else if (!over) send({ type: "step" }); },
  back() { ACTIONS.moment(at - 1); },
  first() { ACTIONS.moment(0); },
  present() { ACTIONS.moment(momentCount() - 1); },
  moment(index) {
    if (!frame || index < 0 || index >= momentCount()) return;
    if (playing && index < momentCount() - 1) send({ type: "pause" });
    show(index);
  },
  speed() { send({ type: "speed", value: speed() }); if (frame) remember(); },
};

/** For those who listen: step by step and when playing ends, as a run that plays would never stop talking. */
function announce() {
  const said = lanes.map((lane, i) => (lanes.length > 1 ? `${lane.init.agent}: ` : "") + lane.words(frame.runs[i]));
  byId("live").textContent = `Step ${frame.step}, ${said.join("; ")}`;
}

function save({ data }) {
  showFilming(false);
  const url = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], { type: "image/webp" }));
  const name = `${init.domain}-${init.agents.map(({ agent }) => agent).join("-")}-${stepAt(momentCount() - 1)}`.replace(/[^\w.-]+/g, "-");
  el("a", { href: url, download: `${name}.webp` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function complain(text) {
  byId("error-text").textContent = text;
  byId("error").hidden = false;
}

byId("error-close").addEventListener("click", () => { byId("error").hidden = true; byId("play").focus(); });
connectControls(send, ACTIONS);
connectTips();
connect();
