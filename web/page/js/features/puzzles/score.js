//! What this browser keeps about puzzles: the streak, the rating, the puzzle of the day.

import { storedItem, storeItem } from '../../base/text.js';

/**
 * The solved puzzles by their FEN; `daily`: the day whose puzzle was solved last, such as `2026-11-30`.
 * @typedef {{ streak: number, best: number, solved: string[], rating: number, daily: string }} Score
 */

/** The key in the browser's storage. */
const KEY = 'tengen.puzzles';
/** The rating of a new user. */
const START = 1500;
/** The most that a puzzle changes the rating. */
const STEP = 32;
/** The ratings of puzzles by their grades. @type {Record<string, number>} */
const RATINGS = { easy: 1200, medium: 1600, hard: 2000 };

/** Returns what this browser has kept. @returns {Score} */
export function score() {
  let kept;
  try {
    kept = JSON.parse(storedItem('local', KEY) ?? '{}') ?? {};
  } catch {
    kept = {};
  }
  const { streak, best, solved, rating, daily } = kept;
  return {
    streak: Number(streak) || 0,
    best: Number(best) || 0,
    solved: Array.isArray(solved) ? solved : [],
    rating: Number(rating) || START,
    daily: String(daily ?? ''),
  };
}

/** Keeps changes, and returns whether the browser has kept them. @param {Partial<Score>} changes */
export const keep = (changes) => storeItem('local', KEY, JSON.stringify({ ...score(), ...changes }));

/** Returns the rating after a puzzle by Elo's formula. @param {number} rating @param {string} grade @param {boolean} won */
export function rated(rating, grade, won) {
  const expected = 1 / (1 + 10 ** (((RATINGS[grade] ?? START) - rating) / 400));
  return Math.round(rating + STEP * ((won ? 1 : 0) - expected));
}

/** Returns the day, the same for all time zones. */
export const today = () => new Date().toISOString().slice(0, 10);

/** Returns the puzzle of a day: the same for all who have the same file. @template T @param {T[]} all @param {string} day */
export function ofDay(all, day) {
  const hash = Array.from(day).reduce((sum, sign) => (Math.imul(sum, 31) + sign.charCodeAt(0)) >>> 0, 7);
  return all[(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) % all.length];
}
