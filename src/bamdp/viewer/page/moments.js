// The moments that were shown, as they came from the server: kept as text. The last ones are all kept, of those before some at even
// distances, and always the first.

const MOST = 1000, RECENT = 500, MOST_CHARACTERS = 60e6; // moments, the last of them, and of all together

let kept = [], count = 0, stride = 1, recent = RECENT; // { step, text, number }, in order; of those before the recent ones, every stride-th

export function forgetMoments() {
  [kept, count, stride, recent] = [[], 0, 1, RECENT];
}

export function keepMoment(step, text) {
  const last = kept[kept.length - 1];
  if (last?.step === step) last.text = text; // shown again, with more in it
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
export const momentAt = (index) => JSON.parse(kept[index].text);
export const stepAt = (index) => kept[index].step;

/** The index of the last moment up to a step. */
export const indexOfStep = (step) => Math.max(0, kept.findLastIndex((moment) => moment.step <= step));
