//! The games of a record that has several of them: where each begins, and what its head says. And the list of the open games.

import { headOf } from './sgf.js';

/** A game of a collection: its record, where it begins in the file, and who played, when and how it ended. @typedef {{ text: string, at: number, first: string, second: string, result: string, event: string, date: string }} Entry */

/** Returns the place of the bracket that closes a value. @param {string} text @param {number} from the place of the opening one */
function endOfValue(text, from) {
  let at = from + 1;
  while (at < text.length && text[at] !== ']') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Returns the games of a record. @param {string} text @returns {Entry[]} */
export function gamesOf(text) {
  /** @type {Entry[]} */
  const games = [];
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '[' && depth) at = endOfValue(text, at);
    else if (sign === '(') begin = depth++ ? begin : at;
    else if (sign === ')' && depth && !--depth) {
      const one = text.slice(begin, at + 1);
      if (/^\(\s*;/.test(one)) games.push(entryOf(one, begin));
    }
  }
  return games;
}

/** @param {string} text @param {number} at @returns {Entry} */
function entryOf(text, at) {
  const head = headOf(text);
  const value = (/** @type {string} */ name) => head.get(name)?.[0]?.text.replace(/\s+/g, ' ').trim() ?? '';
  return { text, at, first: value('PB'), second: value('PW'), result: value('RE'), event: value('EV'), date: value('DT') };
}

/** A game with what stands before it in the file as blanks, so that errors name the place in the file. @param {string} text @param {Entry} entry */
export const placedText = (text, entry) => text.slice(0, entry.at).replace(/[^\n]/g, ' ') + entry.text;

/**
 * A game of the list of open games. `file`: the text of its file; `number` of `count`: its place in it; `game`: what was read of it,
 * with the changes of the user, once it was shown.
 * @typedef {Entry & { file: string, name: string, number: number, count: number, game?: import('./game.js').Game }} Open
 */

/** The games of the files that were opened, those of the last file first. @type {Open[]} */
let opened = [];

/** Returns the open games. */
export const openGames = () => opened;

/** Adds the games of a file to the open ones, and returns them. A game that is open already is there once. @param {string} file @param {string} name of the file @returns {Open[]} */
export function addGames(file, name) {
  const entries = gamesOf(file);
  const games = entries.map((entry, n) => ({ ...entry, file, name, number: n + 1, count: entries.length }));
  const texts = new Set(games.map(({ text }) => text));
  opened = [...games, ...opened.filter(({ text }) => !texts.has(text))];
  return games;
}

/** Whether a text has all words of a search: digits at the begin of a word, other signs anywhere. @param {string} text @param {string} search */
export function isFound(text, search) {
  const all = ` ${text.toLowerCase()}`;
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(/^\d/.test(word) ? ` ${word}` : word));
}
