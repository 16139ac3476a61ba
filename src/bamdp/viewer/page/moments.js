// The moments that were shown, as they came from the server: kept as text, of old ones fewer and fewer.

const MOST = 1000; // moments
const RECENT = 500; // of them that are all kept
const MOST_CHARACTERS = 60e6; // of all together

let kept = []; // { step, text }, in order

export function forgetMoments() {
  kept = [];
}

export function keepMoment(step, text) {
  if (kept.length && kept[kept.length - 1].step === step) kept.pop(); // shown again, with more in it
  kept.push({ step, text });
  while (kept.length > MOST || (kept.length > 2 && size() > MOST_CHARACTERS)) thin();
}

/** Drop every second of the older half, or of all but the last if that half is gone; the first stays. */
function thin() {
  const recent = kept.length > MOST ? RECENT : 1, old = kept.length - recent;
  kept = kept.filter((_, i) => i >= old || i % 2 === 0);
}

const size = () => kept.reduce((sum, { text }) => sum + text.length, 0);

export const momentCount = () => kept.length;

/** The frame of a moment, by its index. */
export const momentAt = (index) => JSON.parse(kept[index].text);

export const stepAt = (index) => kept[index].step;

/** The index of the last moment up to a step. */
export function indexOfStep(step) {
  const after = kept.findIndex((moment) => moment.step > step);
  return after < 0 ? kept.length - 1 : Math.max(0, after - 1);
}
