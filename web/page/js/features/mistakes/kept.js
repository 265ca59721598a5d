//! The repertoires that this browser keeps: a tree as SGF, and the side that is learned.

import { storedItem, storeItem } from '../../base/text.js';

/** @typedef {import('../../record/game.js').Side} Side */
/** `positions`: how many are asked. @typedef {{ id: string, name: string, side: Side, positions: number, sgf: string }} Kept */

/** The begin of the keys in the browser's storage, and the key of their list. */
const KEY = 'tengen.repertoire';

/** @param {unknown} one @returns {one is Kept} */
function isKept(one) {
  const kept = /** @type {any} */ (one);
  return ['id', 'name', 'sgf'].every((key) => typeof kept?.[key] === 'string') && ['first', 'second'].includes(kept.side);
}

/** Returns the ids of the kept repertoires. @returns {string[]} */
function ids() {
  try {
    const list = JSON.parse(storedItem('local', KEY) ?? '[]');
    return Array.isArray(list) ? list.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** Returns a repertoire; null if it cannot be read. @param {string} id @returns {Kept | null} */
function read(id) {
  try {
    const one = JSON.parse(storedItem('local', `${KEY}.${id}`) ?? 'null');
    return isKept(one) ? one : null;
  } catch {
    return null;
  }
}

/** Returns the kept repertoires, and how many cannot be read. */
export function all() {
  const found = ids().map(read);
  const kept = found.filter((one) => one !== null);
  return { kept, damaged: found.length - kept.length };
}

/** Removes the text of a repertoire. @param {string} id */
function drop(id) {
  try {
    localStorage.removeItem(`${KEY}.${id}`);
  } catch {
    // A browser that keeps nothing has nothing to remove.
  }
}

/** Keeps a repertoire. Returns whether the browser has room for it. @param {Kept} one */
export function keep(one) {
  if (storeItem('local', `${KEY}.${one.id}`, JSON.stringify(one)) && storeItem('local', KEY, JSON.stringify([...ids(), one.id])))
    return true;
  drop(one.id);
  return false;
}

/** Removes a repertoire. @param {string} id */
export function remove(id) {
  storeItem('local', KEY, JSON.stringify(ids().filter((one) => one !== id)));
  drop(id);
}
