//! The opening swap2: who places, who chooses. Three stones; then the second player takes a colour
//! or places two more; then the first player takes a colour. It knows steps and seats, no points.

/** @typedef {import('./game.js').Seat} Seat */
/** @typedef {import('./game.js').Side} Side */
/** @typedef {'three' | 'choose' | 'two' | 'colour' | 'done'} Step */
/** @typedef {{ step: Step, opener: Seat, seats: { first: Seat, second: Seat } }} Swap `seats`: at the start */
/** @typedef {'black' | 'white' | 'two'} Choice */

/** Stones on the board after which a placing step is over. */
const STONES = { three: 3, two: 5 };

/** The opening at its start. @param {{ first: Seat, second: Seat }} seats @returns {Swap} */
export const begin = (seats) => ({ step: 'three', opener: seats.first, seats: { ...seats } });

/** The other player; with both or none at one seat, the seats are alike. @param {Swap} swap @returns {Seat} */
const chooser = (swap) => swap.seats.second;

/** Who acts now. @param {Swap} swap @returns {Seat} */
export const actor = (swap) => (swap.step === 'three' || swap.step === 'colour' ? swap.opener : chooser(swap));

/** Whether stones are placed now. @param {Swap | null} swap */
export const places = (swap) => swap?.step === 'three' || swap?.step === 'two';

/** Whether a choice is due. @param {Swap | null} swap */
export const chooses = (swap) => swap?.step === 'choose' || swap?.step === 'colour';

/** The step after so many stones. @param {Swap} swap @param {number} stones @returns {Swap} */
export function placed(swap, stones) {
  if (swap.step === 'three' && stones >= STONES.three) return { ...swap, step: 'choose' };
  if (swap.step === 'two' && stones >= STONES.two) return { ...swap, step: 'colour' };
  return swap;
}

/** Where an undo leads: the step that fits the number of stones. @param {Swap} swap @param {number} stones @returns {Swap} */
export function after(swap, stones) {
  if (stones < STONES.three) return { ...swap, step: 'three' };
  if (swap.step === 'done') return swap;
  if (stones === STONES.three) return { ...swap, step: 'choose' };
  return { ...swap, step: stones < STONES.two ? 'two' : 'colour' };
}

/**
 * A choice: the next step, and who then has which colour.
 * @param {Swap} swap @param {Choice} choice
 * @returns {{ swap: Swap, seats: { first: Seat, second: Seat } | null }}
 */
export function choose(swap, choice) {
  if (choice === 'two') return { swap: { ...swap, step: 'two' }, seats: null };
  const [own, others] = swap.step === 'choose' ? [swap.seats.second, swap.seats.first] : [swap.seats.first, swap.seats.second];
  const seats = choice === 'black' ? { first: own, second: others } : { first: others, second: own };
  return { swap: { ...swap, step: 'done' }, seats };
}
