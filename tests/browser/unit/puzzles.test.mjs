// The puzzles of the page: each can be set up and played, and the grades are those of the manual.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setupOf } from '../../../web/page/js/features/puzzles/puzzles.js';
import { Game, indexOf, pointOf, shapeOf } from '../../../web/page/js/record/game.js';

const puzzles = JSON.parse(readFileSync(new URL('../../../web/page/puzzles.json', import.meta.url), 'utf8'));

/** The grade as docs/manual/puzzles.md defines it. */
const gradeOf = (length, misleading) => (2 * length + misleading <= 10 ? 'easy' : 2 * length + misleading <= 16 ? 'medium' : 'hard');

/** Plays a line from the start of a puzzle. Every move must be possible. */
function play(game, line) {
  let node = game.root;
  for (const move of line.split(' ')) {
    const point = pointOf(move, game.shape);
    assert.ok(point, move);
    const target = game.target(node, point);
    assert.ok(target && indexOf(target, game.shape) === indexOf(point, game.shape), `${move} of ${line}`);
    node = game.add(node, move);
  }
  return node;
}

/** Returns the images of a position under the symmetries of its board, each as one text. */
function imagesOf(v, fen) {
  const { w, h, gravity } = shapeOf(v);
  const { first, second, turn } = setupOf(fen, h);
  const shape = { w, h };
  const mirrored = ({ c, r }) => ({ c: w - 1 - c, r });
  const turned = ({ c, r }) => ({ c: r, r: w - 1 - c });
  const ways = gravity ? [(at) => at] : [0, 1, 2, 3].map((turns) => (at) => Array.from({ length: turns }).reduce(turned, at));
  const image = (way) => [first, second].map((stones) => stones.map((name) => indexOf(way(pointOf(name, shape)), shape)).sort((a, b) => a - b).join()).join('/') + turn;
  return ways.flatMap((way) => [image(way), image((at) => mirrored(way(at)))]);
}

test('the page has fifty puzzles of every variant, of all grades, none twice, also not turned, mirrored or with other rules', () => {
  const known = new Set();
  for (const variant of ['gomokufreestyle', 'gomoku', 'renju', 'cfour']) {
    const own = puzzles.filter(({ v }) => v === variant);
    assert.equal(own.length, 50, variant);
    for (const grade of ['easy', 'medium', 'hard']) assert.ok(own.some(({ g }) => g === grade), `${variant}: ${grade}`);
    for (const { v, f } of own) {
      const images = imagesOf(v, f);
      assert.ok(!images.some((image) => known.has(image)), f);
      known.add(images[0]);
    }
  }
});

test('every puzzle is set up as its FEN says, and its lines can be played', () => {
  for (const { v, g, f, l, t } of puzzles) {
    const shape = shapeOf(v);
    const game = new Game(shape, setupOf(f, shape.h));
    assert.equal(game.fen()?.split(' ', 2).join(' '), f.split(' ', 2).join(' '), f);
    const end = play(game, l);
    assert.equal(end.side, game.root.turn, l);
    assert.ok(end.ply >= 3, l);
    for (const tried of t) {
      play(game, tried);
      assert.notEqual(tried.split(' ')[0], l.split(' ')[0], f);
    }
    assert.equal(g, gradeOf((end.ply + 1) / 2, t.length), f);
  }
});
