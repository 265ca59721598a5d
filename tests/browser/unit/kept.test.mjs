// The repertoires that the browser keeps: order, removal, a full storage, and texts that cannot be read.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

/** A storage with a limit of characters. */
const kept = new Map();
let room = Infinity;
globalThis.localStorage = /** @type {any} */ ({
  getItem: (key) => kept.get(key) ?? null,
  removeItem: (key) => void kept.delete(key),
  setItem: (key, text) => {
    const others = [...kept].reduce((sum, [name, value]) => sum + (name === key ? 0 : value.length), 0);
    if (others + text.length > room) throw new Error('full');
    kept.set(key, text);
  },
});
const { all, keep, remove } = await import('../../../web/page/js/features/mistakes/kept.js');

const one = (id, sgf = '(;)') => ({ id, name: `tree ${id}`, side: 'first', positions: 1, sgf });

beforeEach(() => {
  kept.clear();
  room = Infinity;
});

test('repertoires are kept in their order, and removed', () => {
  for (const id of ['b', 'a', 'c']) assert.equal(keep(one(id)), true);
  remove('a');
  assert.deepEqual(all(), { kept: [one('b'), one('c')], damaged: 0 });
  assert.deepEqual([...kept.keys()].sort(), ['tengen.repertoire', 'tengen.repertoire.b', 'tengen.repertoire.c']);
});

test('a repertoire without room leaves nothing behind, wherever the room ends', () => {
  keep(one('a'));
  const before = new Map(kept);
  const size = [...before].reduce((sum, [, value]) => sum + value.length, 0);
  // From no room for the text, to room for the text but not for the list.
  for (const more of [10, JSON.stringify(one('b')).length + 1]) {
    room = size + more;
    assert.equal(keep(one('b')), false);
    assert.deepEqual(kept, before);
  }
});

test('what cannot be read is counted, and stays', () => {
  for (const id of ['a', 'b', 'c', 'd']) keep(one(id));
  kept.set('tengen.repertoire.a', '{"id"');
  kept.set('tengen.repertoire.b', JSON.stringify({ ...one('b'), side: 'black' }));
  kept.delete('tengen.repertoire.c');
  assert.deepEqual(all(), { kept: [one('d')], damaged: 3 });
  assert.ok(kept.has('tengen.repertoire.a'));
  for (const list of ['{', '7', 'null', '[1]']) {
    kept.set('tengen.repertoire', list);
    assert.deepEqual(all(), { kept: [], damaged: 0 }, list);
  }
});
