//! Spaced repetition by FSRS-6: how well a card is remembered, and when it should be asked again. Only formulas: no cards, no clock.
// CITE: FSRS-6, "The Algorithm", open-spaced-repetition, https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm

/** How a card was answered. */
export const AGAIN = 1;
export const HARD = 2;
export const GOOD = 3;
export const EASY = 4;

/** The default parameters of FSRS-6. */
const W = [
  0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729,
  0.5425, 0.0912, 0.0658, 0.1542,
];
/** @param {number} i */
const w = (i) => W[i] ?? 0;

/** The share of cards that should be remembered when they are asked. */
const RETENTION = 0.9;
/** The longest interval in days. */
const LONGEST = 36_500;
const LEAST_STABILITY = 0.001;
/** Makes the share that is remembered after `stability` days 90 %. */
const FACTOR = 0.9 ** (-1 / w(20)) - 1;

/** `stability`: the days after which the card is remembered with a probability of 90 %; `difficulty`: 1 to 10. @typedef {{ stability: number, difficulty: number }} Memory */

const inRange = (/** @type {number} */ difficulty) => Math.min(10, Math.max(1, difficulty));

/** The difficulty after the first answer, without its bounds. @param {number} rating */
const firstDifficulty = (rating) => w(4) - Math.exp(w(5) * (rating - 1)) + 1;

/** Returns the probability that a card is remembered. @param {number} days since the last answer @param {number} stability */
export const retrievability = (days, stability) => (1 + (FACTOR * days) / stability) ** -w(20);

/** @param {number} difficulty @param {number} rating */
function nextDifficulty(difficulty, rating) {
  const damped = difficulty - (w(6) * (rating - GOOD) * (10 - difficulty)) / 9;
  return inRange(w(7) * firstDifficulty(EASY) + (1 - w(7)) * damped);
}

/** The stability after another answer on the same day. @param {number} stability @param {number} rating */
function sameDay(stability, rating) {
  const growth = Math.exp(w(17) * (rating - GOOD + w(18))) * stability ** -w(19);
  return stability * (rating === AGAIN ? growth : Math.max(1, growth));
}

/** The stability after a wrong answer. @param {Memory} memory @param {number} recall */
function afterLapse({ stability, difficulty }, recall) {
  const long = w(11) * difficulty ** -w(12) * ((stability + 1) ** w(13) - 1) * Math.exp(w(14) * (1 - recall));
  return Math.min(long, stability / Math.exp(w(17) * w(18)));
}

/** The stability after a right answer. @param {Memory} memory @param {number} recall @param {number} rating */
function afterRecall({ stability, difficulty }, recall, rating) {
  const weight = rating === HARD ? w(15) : rating === EASY ? w(16) : 1;
  return stability * (1 + Math.exp(w(8)) * (11 - difficulty) * stability ** -w(9) * (Math.exp(w(10) * (1 - recall)) - 1) * weight);
}

/**
 * Returns what is remembered of a card after an answer.
 * @param {Memory | null} memory null: the first answer @param {number} rating @param {number} days whole days since the last answer
 * @returns {Memory}
 */
export function next(memory, rating, days) {
  if (!memory) return { stability: w(rating - 1), difficulty: inRange(firstDifficulty(rating)) };
  const recall = retrievability(days, memory.stability);
  const stability =
    days < 1 ? sameDay(memory.stability, rating) : rating === AGAIN ? afterLapse(memory, recall) : afterRecall(memory, recall, rating);
  return { stability: Math.max(stability, LEAST_STABILITY), difficulty: nextDifficulty(memory.difficulty, rating) };
}

/** Returns after how many days a card should be asked. @param {number} stability */
export const interval = (stability) => Math.min(LONGEST, Math.max(1, Math.round((stability / FACTOR) * (RETENTION ** (-1 / w(20)) - 1))));
