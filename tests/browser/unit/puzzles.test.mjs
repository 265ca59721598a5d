// The puzzles of the page: each can be set up and played, and the grades are those of the manual.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { known, puzzlesOf, setupOf } from '../../../web/page/js/features/puzzles/file.js';
import { ofDay, rated } from '../../../web/page/js/features/puzzles/score.js';
import { Game, indexOf, pointOf, shapeOf } from '../../../web/page/js/record/game.js';
import { isDraw, verdictOf } from '../../../web/page/js/record/verdict.js';

const file = JSON.parse(readFileSync(new URL('../../../web/page/puzzles.json', import.meta.url), 'utf8'));
const puzzles = puzzlesOf(file);


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

test('the page has puzzles of every variant, of all grades, none twice, also not turned, mirrored or with other rules', () => {
  assert.equal(file.version, 2);
  const seen = new Set();
  for (const variant of ['gomokufreestyle', 'gomoku', 'renju', 'cfour']) {
    const own = puzzles.filter(({ v }) => v === variant);
    assert.equal(own.length, 50, variant);
    for (const grade of ['easy', 'medium', 'hard']) assert.ok(own.some(({ g }) => g === grade), `${variant}: ${grade}`);
    for (const { v, f } of own) {
      const images = imagesOf(v, f);
      assert.ok(!images.some((image) => seen.has(image)), f);
      seen.add(images[0]);
    }
  }
});

test('every puzzle is set up as its FEN says, and its lines can be played', () => {
  for (const { v, f, l, t, u, n } of puzzles) {
    const shape = shapeOf(v);
    const game = new Game(shape, setupOf(f, shape.h));
    assert.equal(game.fen()?.split(' ', 2).join(' '), f.split(' ', 2).join(' '), f);
    const end = play(game, l);
    assert.equal(end.side, game.root.turn, l);
    assert.ok(end.ply >= 3, l);
    for (const [tried, ending] of t) {
      const last = play(game, tried);
      const [first] = tried.split(' ');
      assert.notEqual(first, l.split(' ')[0], f);
      assert.equal(ending === 'unproven', u.includes(first), `${f}: ${first}`);
      // A win that another move reaches is longer by six plies or more.
      if (ending === 'win') assert.ok(last.side === game.root.turn && last.ply >= end.ply + 6, `${f}: ${tried}`);
    }
    if (u.length && v !== 'cfour') assert.ok(n >= 2_000_000, f);
  }
});

test('only a proof is a yes or a no', () => {
  const reply = (winner) => ({ proof: { winner } });
  assert.equal(verdictOf(reply('first'), 'first'), 'wins');
  assert.equal(verdictOf(reply('second'), 'first'), 'does_not_win');
  assert.equal(verdictOf(reply(null), 'first'), 'does_not_win');
  assert.equal(verdictOf({ proof: null }, 'first'), 'no_win_found');
  assert.equal(verdictOf({ outcome: 'first', proof: null }, 'first'), 'wins');
  assert.equal(verdictOf({ outcome: 'draw', proof: null }, 'first'), 'does_not_win');
  const draws = [reply(null), { outcome: 'draw', proof: null }, reply('second'), { proof: null }, { outcome: 'first', proof: null }];
  assert.deepEqual(draws.map(isDraw), [true, true, false, false, false]);
});

test('a file says of a move what is proven of it, and the first version proves nothing', () => {
  const puzzle = { v: 'renju', g: 'easy', f: '', l: 'a1 b1 c1', n: 2_000_000, h: [] };
  const [now] = puzzlesOf({ version: 2, puzzles: [{ ...puzzle, t: [['d1 e1', 'loss'], ['f1 g1', 'unproven'], ['h1 i1', 'win']], u: 'f1 k1' }] });
  const verdicts = ['d1', 'f1', 'h1', 'k1', 'l1'].map((move) => known(now, move)?.verdict);
  assert.deepEqual(verdicts, ['does_not_win', 'no_win_found', 'wins', 'no_win_found', 'does_not_win']);
  assert.deepEqual(known(now, 'd1'), { verdict: 'does_not_win', line: ['e1'], draw: false });
  assert.equal(known({ ...now, t: [['d1 e1', 'draw']] }, 'd1')?.draw, true);
  const [old] = puzzlesOf([{ ...puzzle, t: ['d1 e1'] }]);
  assert.equal(known(old, 'd1')?.verdict, 'no_win_found');
  assert.equal(known(old, 'l1'), null);
});

test('the rating follows the grade, and a day has one puzzle', () => {
  assert.ok(rated(1500, 'hard', true) - 1500 > rated(1500, 'easy', true) - 1500);
  assert.ok(rated(1500, 'easy', false) < rated(1500, 'hard', false));
  assert.ok(rated(1500, 'easy', true) > 1500 && rated(1500, 'hard', false) < 1500);
  const days = Array.from({ length: 60 }, (_, n) => new Date(Date.UTC(2026, 0, n + 1)).toISOString().slice(0, 10));
  const chosen = days.map((day) => ofDay(puzzles, day));
  assert.ok(chosen.every((puzzle) => puzzle) && new Set(chosen).size > 40, `${new Set(chosen).size}`);
  assert.equal(ofDay(puzzles, days[7]), chosen[7]);
});
