// The address of the page names what is shown: domain, agents, settings, seed, simulations, step, speed. A link shows it again.

const EVERY = 500; // milliseconds between changes, as browsers allow 100 in half a minute

let changed = 0, waiting = null;

/** What the address asks for. */
export function readAddress() {
  const asked = new URLSearchParams(location.search);
  const whole = (name) => (/^\d{1,15}$/.test(asked.get(name) ?? "") ? Number(asked.get(name)) : null);
  return {
    link: `${location.origin}/?${asked}`, domain: asked.get("domain"), agents: asked.getAll("agent"), settings: asked.get("settings") ?? "",
    seed: whole("seed"), simulations: whole("simulations"), step: whole("step"), speed: Number(asked.get("speed")) || null, truth: asked.get("truth") === "yes",
  };
}

/** Whether it is for what this server shows. */
export function fits(asked, init) {
  const same = asked.agents.length === init.agents.length && asked.agents.every((name, i) => name === init.agents[i].agent);
  return asked.domain === null || (asked.domain === init.domain && same && asked.settings === init.settings);
}

/** The command that shows what an address is for. A link may come from anybody: the command checks it, and it is percent-encoded. */
export const commandOf = (asked) => `bamdp watch "${asked.link}"`;

export function writeAddress({ domain, agents, settings, seed }, { step, speed, simulations, truth }) {
  const named = [["domain", domain], ...agents.map(({ agent }) => ["agent", agent]), ["settings", settings], ["seed", seed],
    ["simulations", simulations ?? ""], ["step", step], ["speed", speed], ["truth", truth ? "yes" : ""]];
  const asked = new URLSearchParams(named.filter(([, value]) => value !== ""));
  clearTimeout(waiting);
  waiting = setTimeout(() => { changed = Date.now(); history.replaceState(null, "", `?${asked}`); }, Math.max(0, changed + EVERY - Date.now()));
}
