//! The moving picture of a game: a frame for each move of the line shown.

import { boardCanvas } from '../../board/picture.js';
import { BoardView } from '../../board/view.js';
import { el } from '../../base/text.js';
import { indexOf, pointOf } from '../../record/game.js';
import { MovingPicture } from './gif.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */

/** How long a position is shown, and how long the last one, in ms. */
const [MOVE_MS, LAST_MS] = [800, 3000];

/** Returns what the board shows of a position: stones with their numbers, and the last move. @param {App} app @param {Node} node @returns {import('../../board/view.js').Scene} */
function sceneOf(app, node) {
  const { game } = app;
  const point = pointOf(node.move, game.shape);
  const numbered = !game.shape.gravity && !app.board.hasSigns;
  const stones = game
    .stones(node)
    .map((stone) => stone && { colour: app.colour(stone.side), text: numbered && stone.ply ? String(stone.ply) : '' });
  return {
    stones,
    last: point && indexOf(point, game.shape),
    lastRing: numbered,
    win: game.winningLine(node),
    locked: true,
    label: () => '',
    words: new Map(),
    labelsKey: String(node.ply),
    crosses: [],
    flags: [],
    dots: [],
    discs: [],
    line: [],
    ghost: null,
    aim: null,
    cursor: null,
    hint: null,
  };
}

/** Returns the game as a GIF. @param {App} app @param {number} scale @param {string[]} without parts to leave out */
export async function movingPicture(app, scale, without) {
  const host = el('div.sr', { 'aria-hidden': 'true' });
  document.body.append(host);
  try {
    const marks = await import('../../board/marks.js');
    const board = new BoardView(host, async () => marks);
    board.marks = marks;
    board.frames = app.board.frames;
    board.setShape(app.game.shape);
    const line = app.game.line();
    const draw = async (/** @type {Node} */ node) => {
      board.paint(sceneOf(app, node));
      const canvas = await boardCanvas(board, scale, without);
      const picture = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
      if (!picture) throw new Error('no picture');
      return picture;
    };
    const end = line.at(-1) ?? app.game.root;
    // The last position has all stones, the first one none.
    const [first, last] = [await draw(app.game.root), await draw(end)];
    const picture = new MovingPicture([first.data, last.data], last.width, last.height);
    for (const node of line) picture.add((await draw(node)).data, node === end ? LAST_MS : MOVE_MS);
    return picture.end();
  } finally {
    host.remove();
  }
}
