//! The opening swap2: who places stones and who chooses. The first player places three stones. The
//! second player takes a colour, or places two more stones; then the first player takes a colour. This
//! module knows steps and seats, but no points.

/** @typedef {'you' | 'engine'} Seat */
/** @typedef {'three' | 'choose' | 'two' | 'colour' | 'done'} Step */
/** @typedef {{ step: Step, opener: Seat, seats: { first: Seat, second: Seat } }} Swap `seats`: the seats at the start */
/** @typedef {'black' | 'white' | 'two'} Choice */

/** The number of stones on the board at which a step ends. */
const STONES = { three: 3, two: 5 };

/** Returns the start of the opening. @param {{ first: Seat, second: Seat }} seats @returns {Swap} */
export const begin = (seats) => ({ step: 'three', opener: seats.first, seats: { ...seats } });

/** The player who did not open. With two users or two engines, both seats are equal. @param {Swap} swap @returns {Seat} */
const chooser = (swap) => swap.seats.second;

/** Who acts now. @param {Swap} swap @returns {Seat} */
export const actor = (swap) => (swap.step === 'three' || swap.step === 'colour' ? swap.opener : chooser(swap));

/** Whether stones are placed now. @param {Swap | null} swap */
export const places = (swap) => swap?.step === 'three' || swap?.step === 'two';

/** How many stones of the step are missing. @param {Swap} swap @param {number} stones on the board */
export const missing = (swap, stones) => STONES[swap.step === 'three' ? 'three' : 'two'] - stones;

/** Whether a player chooses now. @param {Swap | null} swap */
export const chooses = (swap) => swap?.step === 'choose' || swap?.step === 'colour';

/** Returns the opening when so many stones are on the board. @param {Swap} swap @param {number} stones @returns {Swap} */
export function placed(swap, stones) {
  if (swap.step === 'three' && stones >= STONES.three) return { ...swap, step: 'choose' };
  if (swap.step === 'two' && stones >= STONES.two) return { ...swap, step: 'colour' };
  return swap;
}

/** Returns the opening after an undo: the step that fits the number of stones. @param {Swap} swap @param {number} stones @returns {Swap} */
export function afterUndo(swap, stones) {
  if (stones < STONES.three) return { ...swap, step: 'three' };
  if (swap.step === 'done') return swap;
  if (stones === STONES.three) return { ...swap, step: 'choose' };
  return { ...swap, step: stones < STONES.two ? 'two' : 'colour' };
}

/**
 * Applies a choice. Returns the next step and, if a colour was chosen, the new seats.
 * @param {Swap} swap @param {Choice} choice
 * @returns {{ swap: Swap, seats: { first: Seat, second: Seat } | null }}
 */
export function choose(swap, choice) {
  if (choice === 'two') return { swap: { ...swap, step: 'two' }, seats: null };
  const [own, others] = swap.step === 'choose' ? [swap.seats.second, swap.seats.first] : [swap.seats.first, swap.seats.second];
  const seats = choice === 'black' ? { first: own, second: others } : { first: others, second: own };
  return { swap: { ...swap, step: 'done' }, seats };
}
