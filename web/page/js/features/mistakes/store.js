//! The cards of the user's mistakes and repertoires, as this browser keeps them: lines of JSON, so that a damaged one takes no other with it.

import { storedItem, storeItem, t } from '../../base/text.js';
import { lossOf, moveText } from '../../record/game.js';
import { linkOf, readLink } from '../../record/link.js';
import { AGAIN, interval, next } from './fsrs.js';

/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/game.js').Game} Game */

/**
 * A position with a mistake. `link`: the position; `move`: the mistake; `better`: a better line; `before`: the expected score before
 * the mistake, in per mille for the side to move; `loss`: what the mistake lost of it; `nodes`: of the search that said so; `due`, `last`: when it
 * is asked next and was asked last, in ms (0: never); `reps`, `lapses`: how often it was asked and not known; `whiteFirst`: whether the
 * first player's stones are drawn white; `tree`: the moves of a repertoire in the position, any of which is right. Such a card has no mistake.
 * @typedef {{ link: string, whiteFirst: boolean, tree?: string[], move: string, better: string[], before: number, loss: number, nodes: number, due: number, last: number, stability: number, difficulty: number, reps: number, lapses: number }} Card
 */
/** The cards of a text; `damaged`: lines that cannot be read; `isNewer`: a later version wrote it. @typedef {{ cards: Card[], damaged: number, isNewer: boolean }} Stored */

/** The key in the browser's storage. */
const KEY = 'tengen.mistakes';
const VERSION = 2;
const DAY_MS = 86_400_000;
/** A card that was not known is asked again after the others of the day, at the earliest after this time. */
const AGAIN_MS = 600_000;
const NUMBERS = /** @type {const} */ (['before', 'loss', 'nodes', 'due', 'last', 'stability', 'difficulty', 'reps', 'lapses']);

/** Whether a value is a card whose position can be read. @param {any} one @returns {one is Card} */
function isCard(one) {
  try {
    readLink(one.link);
  } catch {
    return false;
  }
  const isLearned = one.reps === 0 || (one.stability > 0 && one.difficulty >= 1 && one.difficulty <= 10);
  const isLine = (/** @type {unknown} */ moves) => Array.isArray(moves) && moves.every((move) => typeof move === 'string');
  const hasAnswer = isLine(one.better) && (one.tree === undefined || (isLine(one.tree) && one.tree.length > 0));
  return isLearned && hasAnswer && typeof one.move === 'string' && NUMBERS.every((key) => Number.isFinite(one[key]) && one[key] >= 0);
}

/** Returns the cards of a text: the first line has the version, each other one a card. @param {string} text @returns {Stored} */
export function readCards(text) {
  const all = { cards: /** @type {Card[]} */ ([]), damaged: 0, isNewer: false };
  for (const line of text.split('\n').filter((one) => one.trim())) {
    let value;
    try {
      value = JSON.parse(line);
    } catch {
      value = null;
    }
    if (value?.version !== undefined) all.isNewer ||= value.version > VERSION;
    else if (isCard(value)) all.cards.push(value);
    else all.damaged++;
  }
  return all;
}

/** @param {Card[]} cards */
export const textOf = (cards) => [{ version: VERSION }, ...cards].map((line) => `${JSON.stringify(line)}\n`).join('');

/** Returns the cards that this browser keeps. */
export const stored = () => readCards(storedItem('local', KEY) ?? '');

/** Changes the cards that this browser keeps. Another tab may have changed them since they were read. Returns whether they are kept. @param {(cards: Card[]) => Card[]} change */
export function update(change) {
  const { cards, isNewer } = stored();
  return !isNewer && storeItem('local', KEY, textOf(change(cards)));
}

/** What tells cards apart: a position can have one of a mistake and one of a repertoire. @param {Card} card */
export const keyOf = ({ link, tree }) => (tree ? `tree ${link}` : link);

/** Returns the card that is kept for the position of another one. @param {Card[]} cards @param {Card} card */
export const sameCard = (cards, card) => cards.find((one) => keyOf(one) === keyOf(card));

/** Returns the cards with one of them replaced, or added. @param {Card} card @returns {(cards: Card[]) => Card[]} */
export const withCard = (card) => (cards) =>
  sameCard(cards, card) ? cards.map((one) => (keyOf(one) === keyOf(card) ? card : one)) : [...cards, card];

/** Adds cards. Of two cards for a position the one stays that was asked later. @param {Card[]} cards @param {Card[]} added */
export function merged(cards, added) {
  const all = new Map(cards.map((card) => [keyOf(card), card]));
  for (const card of added) if (card.last > (all.get(keyOf(card))?.last ?? -1)) all.set(keyOf(card), card);
  return [...all.values()];
}

/** Returns the cards of a side's blunders in a reviewed line. @param {Game} game @param {Node[]} line @param {import('../../record/game.js').Side} side @param {number} now @returns {Card[]} */
export function cardsOf(game, line, side, now) {
  return line.flatMap((node) => {
    const { parent } = node;
    const loss = lossOf(node);
    if (node.mark !== '??' || node.side !== side || !parent || parent.share === null || loss === null) return [];
    const before = side === 'first' ? parent.share : 1000 - parent.share;
    const { move, better, graded: nodes } = node;
    return [{ ...newCard(game, parent, now), move, better, before, loss, nodes }];
  });
}

/** Returns a card that was never asked, without its answer. @param {Game} game @param {Node} node the position @param {number} now @returns {Card} */
function newCard(game, node, now) {
  const asked = { due: now, last: 0, stability: 0, difficulty: 0, reps: 0, lapses: 0 };
  return { link: linkOf(game, node), whiteFirst: game.whiteFirst, move: '', better: [], before: 0, loss: 0, nodes: 0, ...asked };
}

/** Returns the card of a position of a repertoire. @param {Game} game @param {Node} node @param {string[]} tree its moves @param {number} nodes of the search that judges another move @param {number} now @returns {Card} */
export const cardOf = (game, node, tree, nodes, now) => ({ ...newCard(game, node, now), tree, better: tree.slice(0, 1), nodes });

/** Returns the game that shows the position of a card. @param {Card} card */
export const gameOf = ({ link, whiteFirst }) => Object.assign(readLink(link), { course: null, whiteFirst: Boolean(whiteFirst) });

/** The number of a day in the user's time zone. @param {number} ms */
function dayOf(ms) {
  const date = new Date(ms);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
}

/** Whether a card is due on a day. @param {Card} card @param {number} now */
export const isDue = ({ due }, now) => dayOf(due) <= dayOf(now);

/** Returns the cards that are due on a day, the longest waiting first. @param {Card[]} cards @param {number} now */
export const dueCards = (cards, now) => cards.filter((card) => isDue(card, now)).sort((a, b) => a.due - b.due);

/** Returns what is remembered of a card after an answer. @param {Card} card @param {number} rating @param {number} now */
const memoryAfter = (card, rating, now) => next(card.reps ? card : null, rating, Math.max(0, dayOf(now) - dayOf(card.last)));

/** Returns after how many days a card would be asked again. @param {Card} card @param {number} rating @param {number} now */
export const daysAfter = (card, rating, now) => interval(memoryAfter(card, rating, now).stability);

/** Returns a card after an answer. @param {Card} card @param {number} rating @param {number} now @returns {Card} */
export function answered(card, rating, now) {
  const memory = memoryAfter(card, rating, now);
  const date = new Date(now);
  const later = new Date(date.getFullYear(), date.getMonth(), date.getDate() + interval(memory.stability)).getTime();
  const isLapse = rating === AGAIN;
  return {
    ...card,
    ...memory,
    due: isLapse ? now + AGAIN_MS : later,
    last: now,
    reps: card.reps + 1,
    lapses: card.lapses + Number(isLapse),
  };
}

/** Draws a position with signs. @param {Game} game */
function drawingOf(game) {
  const { w, h } = game.shape;
  const stones = game.stones(game.shown);
  const signs = game.whiteFirst ? ['○', '●'] : ['●', '○'];
  const rows = Array.from({ length: h }, (_, n) => {
    const r = h - 1 - n;
    const points = Array.from({ length: w }, (_one, c) => {
      const stone = stones[r * w + c];
      return stone ? signs[stone.side === 'first' ? 0 : 1] : '·';
    });
    return `${String(r + 1).padStart(2)} ${points.join(' ')}`;
  });
  return [...rows, `   ${Array.from({ length: w }, (_, c) => String.fromCharCode(65 + c)).join(' ')}`];
}

/**
 * Returns cards as a text that Anki imports: the position and the question, then the answer with a link to the board.
 * @param {Card[]} cards @param {string} address of the page @param {(card: Card, game: Game) => string} question
 */
export function ankiText(cards, address, question) {
  const escape = (/** @type {string} */ text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replace(/["\t\n]/g, ' ');
  const rows = cards.map((card) => {
    const game = gameOf(card);
    const front = `${escape(`${t(`v.${game.shape.variant}`)}: ${question(card, game)}`)}<pre>${drawingOf(game).join('<br>')}</pre>`;
    const link = escape(address + card.link);
    return `${front}\t${escape((card.tree ?? card.better).map(moveText).join(' '))}<br><a href='${link}'>${link}</a>\n`;
  });
  return `#separator:tab\n#html:true\n#notetype:Basic\n#deck:Tengen\n${rows.join('')}`;
}
