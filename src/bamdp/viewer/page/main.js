// The page: one socket; the server says hello for each new run and then sends frames.

import { byId, el, plain, actionName } from "./dom.js";
import { connectControls, showDone, showPlaying, showSettings, showSimulations, speed } from "./controls.js";
import { showBelief, showsTransitions } from "./belief.js";
import { resetCurve, showCurve } from "./curve.js";
import { showDecision } from "./decision.js";
import { forgetTree, showTree } from "./tree.js";
import { showLegend, showWorld } from "./world.js";

let socket = null, hello = null, frame = null, playing = false;

const HANDLERS = {
  hello: begin,
  frame: show,
  playing: ({ value }) => { playing = value; showPlaying(value); },
  error: ({ message }) => complain(message),
};

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
  socket.addEventListener("open", () => { link("connected"); send({ type: "speed", value: speed() }); });
  socket.addEventListener("message", ({ data }) => { const message = JSON.parse(data); HANDLERS[message.type](message); });
  socket.addEventListener("close", lost);
}

function send(message) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function lost() {
  playing = false;
  showPlaying(false);
  showDone(true);
  const again = el("button", { type: "button" }, "Connect again");
  again.addEventListener("click", connect);
  link("The connection is lost; is bamdp watch still running? ", again);
}

function link(...content) {
  byId("link").replaceChildren(...content);
}

function begin(message) {
  hello = message;
  resetCurve();
  forgetTree();
  document.title = `${hello.agent} in ${hello.domain} – bamdp`;
  for (const name of ["agent", "domain"]) {
    byId(name).textContent = hello[name];
    byId(`about-${name}`).textContent = hello.about[name];
  }
  byId("of-steps").textContent = hello.steps;
  byId("error").hidden = true;
  byId(showsTransitions(hello) ? "left" : "right").append(byId("curve-card")); // where there is room
  showSettings(hello);
  showLegend(hello);
}

function show(message) {
  frame = message;
  byId("at-step").textContent = frame.step;
  byId("total").textContent = plain(frame.total);
  byId("rate").textContent = frame.step ? plain(frame.total / frame.step) : "–";
  byId("where").textContent = frame.world.label;
  byId("effort").textContent = effort(frame.decision);
  showSimulations(frame.simulations);
  showDone(frame.done);
  showDecision(frame.decision, hello);
  showTree(frame.decision, hello);
  showCurve(frame, hello.steps);
  showViews();
  if (!playing) announce();
}

/** What depends on whether the truth is shown. */
function showViews() {
  const truth = byId("truth").checked;
  showWorld(frame, hello, truth);
  showBelief(frame, hello, truth);
}

function effort(decision) {
  const search = decision ? decision.search : null;
  return search ? `${search.simulations} in ${plain(1000 * search.seconds, 1)} ms` : "–";
}

/** For those who listen: only step by step, as a run that plays would never stop talking. */
function announce() {
  const next = frame.decision ? `next ${actionName(hello.actions[frame.decision.action])}` : "the run is over";
  byId("live").textContent = `Step ${frame.step}, reward ${plain(frame.total)}, at ${frame.world.label}, ${next}`;
}

function complain(text) {
  byId("error-text").textContent = text;
  byId("error").hidden = false;
}

byId("error-close").addEventListener("click", () => { byId("error").hidden = true; byId("play").focus(); });
byId("truth").addEventListener("change", () => { if (frame) showViews(); });
connectControls(send);
connect();
