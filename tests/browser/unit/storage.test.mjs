// Storage and links: a saved game is restored, and two tabs cannot both save the next revision.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Game, shapeOf } from '../../../web/page/js/record/game.js';
import { linkOf, readLink } from '../../../web/page/js/record/link.js';
import * as store from '../../../web/page/js/record/storage.js';

/** A storage for at most `limit` keys. */
function storage(limit = Infinity) {
  const all = new Map();
  return {
    get length() { return all.size; },
    key: (n) => [...all.keys()][n] ?? null,
    getItem: (key) => all.get(key) ?? null,
    removeItem: (key) => all.delete(key),
    setItem: (key, value) => {
      if (!all.has(key) && all.size >= limit) throw new Error('full');
      all.set(key, value);
    },
  };
}

function played(...moves) {
  const game = new Game(shapeOf('gomoku'));
  for (const move of moves) game.live = game.add(game.live, move);
  game.show(game.live);
  return game;
}

test('a saved game is restored with tree, position, seats and clock', () => {
  const game = played('h8', 'i9', 'j10');
  game.add(game.root, 'a1');
  game.show(game.root.children[0]);
  Object.assign(game, { seats: { first: 'engine', second: 'you' }, level: 7, clock: { kind: 'game', base: 60_000, inc: 1000 }, events: ['x'] });
  const kept = storage();
  assert.equal(store.save(kept, game), true);
  const again = store.restore(kept, null);
  assert.deepEqual(store.pack(again).rest, store.pack(game).rest);
  assert.equal(again.shown.move, 'h8');
  assert.deepEqual(again.live.moves(), ['h8', 'i9', 'j10']);
  assert.deepEqual(again.mainLine().map((node) => node.move), ['', 'h8', 'i9', 'j10']);
});

test('of two tabs with one game only the first saves the next revision', () => {
  const kept = storage();
  const one = played('h8');
  store.save(kept, one);
  const two = store.unpack(store.savedState(kept, one.id));
  one.add(one.live, 'i9');
  assert.equal(store.save(kept, one), true);
  two.add(two.live, 'a1');
  assert.equal(store.save(kept, two), false);
  assert.deepEqual(store.unpack(store.savedState(kept, one.id)).mainLine().map((node) => node.move), ['', 'h8', 'i9']);
});

test('a full storage removes the oldest games', () => {
  const kept = storage(4);
  for (let i = 0; i < 6; i++) assert.equal(store.save(kept, played('h8')), true);
});

test('links hold every kind of game', () => {
  const five = played('h8', 'i9', 'j7');
  assert.equal(linkOf(five), '#v=gomoku&s=15&m=h8i9j7');
  five.show(five.root.children[0]);
  assert.equal(linkOf(five), '#v=gomoku&s=15&m=h8i9j7&at=1');
  const own = new Game(shapeOf('custom', { w: 5, h: 6, k: 4, gravity: true, overline: false }), { first: ['a1'], second: ['b1', 'c1'], turn: 'second' });
  for (const game of [five, own, new Game(shapeOf('cfour'))]) {
    const again = readLink(linkOf(game));
    assert.equal(linkOf(again), linkOf(game));
    assert.deepEqual(again.shape, game.shape);
    assert.equal(again.fen(), game.fen());
  }
});

for (const [link, key, what] of [
  ['#v=chess&m=e4', 'link.variant', 'chess'], ['#v=renju&s=99', 'link.size', '99'], ['#v=renju&s=15&m=h8h8', 'link.moves', 'h8'],
  ['#v=renju&s=15&m=h8zz', 'link.moves', 'z'], ['#v=cfour&m=d2', 'link.moves', 'd2'], ['#v=renju&m=h8&at=5', 'link.at', '5'],
]) {
  test(`a broken link says what is wrong: ${link}`, () => {
    assert.throws(() => readLink(link), (error) => error.key === key && error.values.what === what);
  });
}
