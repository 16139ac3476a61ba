// The moments that were shown, as they came from the server: kept as text. The last ones are all kept, of those before some at even
// distances, and always the first.

const MOST = 1000; // moments
const RECENT = 500; // of them, the last ones
const MOST_CHARACTERS = 60e6; // of all together

let kept = []; // { step, text, number }, in order
let count = 0, stride = 1, recent = RECENT; // of those before the recent ones, every stride-th is kept

export function forgetMoments() {
  kept = [];
  [count, stride, recent] = [0, 1, RECENT];
}

export function keepMoment(step, text) {
  if (kept.length && kept[kept.length - 1].step === step) kept[kept.length - 1].text = text; // shown again, with more in it
  else kept.push({ step, text, number: count++ });
  thin();
  while (kept.length > MOST || (kept.length > 2 && size() > MOST_CHARACTERS)) {
    stride *= 2;
    if (size() > MOST_CHARACTERS) recent = Math.ceil(recent / 2);
    thin();
  }
}

function thin() {
  const first = kept.length - recent;
  kept = kept.filter(({ number }, i) => i >= first || number % stride === 0);
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
