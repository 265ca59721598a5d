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

test('the page has puzzles of every variant and of every grade, each once', () => {
  for (const variant of ['gomokufreestyle', 'gomoku', 'renju', 'cfour']) assert.ok(puzzles.some(({ v }) => v === variant), variant);
  for (const grade of ['easy', 'medium', 'hard']) assert.ok(puzzles.some(({ g }) => g === grade), grade);
  assert.equal(new Set(puzzles.map(({ v, f }) => v + f)).size, puzzles.length);
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
