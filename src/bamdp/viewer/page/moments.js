// The last moments that were shown, as they came from the server: kept as text.

const MOST = 1000, MOST_CHARACTERS = 60e6; // moments, and of all together

let kept = [], size = 0; // { step, text }, in order

export function forgetMoments() {
  [kept, size] = [[], 0];
}

export function keepMoment(step, text) {
  if (kept.at(-1)?.step === step) size -= kept.pop().text.length; // shown again, with more in it
  kept.push({ step, text });
  size += text.length;
  while (kept.length > MOST || (kept.length > 2 && size > MOST_CHARACTERS)) size -= kept.shift().text.length;
}

export const momentCount = () => kept.length;
export const momentAt = (index) => JSON.parse(kept[index].text);
export const stepAt = (index) => kept[index].step;

/** The index of the last moment up to a step. */
export const indexOfStep = (step) => Math.max(0, kept.findLastIndex((moment) => moment.step <= step));
