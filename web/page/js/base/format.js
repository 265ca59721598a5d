//! Scores as text: evaluations in hundredths, wins counted in moves of the winner, chances.

import { t } from './text.js';

/** @typedef {{ cp?: number, win_in?: number, loss_in?: number }} Score */
/** @typedef {'first' | 'second'} Side */
/** @typedef {{ rank: number, move: string, score: Score, bound?: string, wdl: number[] | null, pv: string[] }} Line */

/** The score of a win that the search sees but has not proven. */
const WON = 2_000_000;

/** Writes a score: `+1.53`, or `W3` for a win in three moves of the winner. @param {Score} score @param {string} [bound] */
export function scoreText({ cp, win_in: win, loss_in: loss }, bound = 'exact') {
  const sign = bound === 'lower' ? '≥' : bound === 'upper' ? '≤' : '';
  if (win !== undefined) return `W${Math.ceil(win / 2)}`;
  if (loss !== undefined) return `L${Math.ceil(loss / 2)}`;
  const value = cp ?? 0;
  if (Math.abs(value) >= WON) return value > 0 ? 'W' : 'L';
  return `${sign}${value < 0 ? '−' : '+'}${(Math.abs(value) / 100).toFixed(2)}`;
}

/** Writes the expected score of the side to move in per cent, or the proven result. @param {Line} line */
export function winText({ score, wdl, bound }) {
  if (score.win_in !== undefined || score.loss_in !== undefined) return scoreText(score);
  if (wdl?.[1] === 1000 && bound === 'exact' && score.cp === 0) return '=';
  const [win = 500, draw = 0] = wdl ?? [];
  return String(Math.round((win + draw / 2) / 10));
}

/** Writes the value of a line in words. @param {Line} line */
export function outcomeWord(line) {
  const { win_in: win, loss_in: loss } = line.score;
  if (win !== undefined) return t('word.win', { n: Math.ceil(win / 2) });
  if (loss !== undefined) return t('word.loss', { n: Math.ceil(loss / 2) });
  const text = winText(line);
  return text === '=' ? t('draw') : t('word.share', { share: text });
}

/**
 * Estimates the expected score, in per mille, of a score without chances, until the engine sends them.
 * @param {Score} score
 */
export function roughShare({ cp, win_in: win, loss_in: loss }) {
  if (win !== undefined) return 1000;
  if (loss !== undefined) return 0;
  return Math.round(1000 / (1 + Math.exp(-(cp ?? 0) / 300)));
}

/** Returns the expected score of the first player, in per mille; null without chances. @param {number[] | null | undefined} wdl @param {Side} turn */
export function shareOf(wdl, turn) {
  if (!wdl) return null;
  const [win = 0, draw = 0] = wdl;
  const share = win + draw / 2;
  return Math.round(turn === 'first' ? share : 1000 - share);
}

/** Returns the expected score of the side to move, in per mille; 500 without chances. @param {number[] | null | undefined} wdl */
export const ownShare = (wdl) => shareOf(wdl, 'first') ?? 500;

/** Writes a large number with few digits: `1.96 M`. @param {number} n */
export function shortNumber(n) {
  if (n >= 1e9) return `${(n / 1e9).toFixed(2)} G`;
  if (n >= 1e6) return `${(n / 1e6).toFixed(2)} M`;
  return n >= 1e4 ? `${Math.round(n / 1e3)} k` : String(n);
}

/** Returns a sentence of the engine, with its points as people read them. @param {string} words */
export const sentence = (words) => words.replace(/\b[a-z]\d{1,2}\b/g, (point) => point.toUpperCase());
