// Moving pictures: what a decoder of its own shows of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MovingPicture } from '../../../web/page/js/features/share/gif.js';

/** Decompresses the numbers of colours (LZW). @param {number[]} bytes @param {number} bits */
function decompress(bytes, bits) {
  const [clear, end] = [1 << bits, (1 << bits) + 1];
  /** @type {number[][]} */
  let strings = [];
  let [size, at, before] = [bits + 1, 0, /** @type {number[] | null} */ (null)];
  const read = () => {
    let code = 0;
    for (let n = 0; n < size; n++, at++) code |= ((bytes[at >> 3] >> (at & 7)) & 1) << n;
    return code;
  };
  const out = [];
  for (;;) {
    const code = read();
    if (code === end) return out;
    if (code === clear) {
      strings = Array.from({ length: clear + 2 }, (_, n) => [n]);
      [size, before] = [bits + 1, null];
      continue;
    }
    const string = strings[code] ?? [.../** @type {number[]} */ (before), before[0]];
    out.push(...string);
    if (before && strings.length < 4096) strings.push([...before, string[0]]);
    if (strings.length === 1 << size && size < 12) size++;
    before = string;
  }
}

/** Returns the frames of a GIF as a decoder shows them: red, green, blue of each pixel; and the pixels that each one holds. @param {Uint8Array} file */
function framesOf(file) {
  const word = (/** @type {number} */ at) => file[at] | (file[at + 1] << 8);
  const [width, height] = [word(6), word(8)];
  const table = file.subarray(13, 13 + 768);
  const shown = new Array(width * height).fill('');
  const frames = [];
  let [at, kept] = [13 + 768, -1];
  while (file[at] !== 0x3b) {
    const isPicture = file[at] === 0x2c;
    const start = at;
    if (!isPicture && file[at + 1] === 0xf9) {
      assert.equal((file[at + 3] >> 2) & 7, 1, 'the frame stays');
      kept = file[at + 3] & 1 ? file[at + 6] : -1;
    }
    at += isPicture ? 11 : 2;
    const bytes = [];
    for (; file[at] > 0; at += file[at] + 1) bytes.push(...file.subarray(at + 1, at + 1 + file[at]));
    at++;
    if (!isPicture) continue;
    const [left, top, columns, rows] = [1, 3, 5, 7].map((n) => word(start + n));
    assert.ok(left + columns <= width && top + rows <= height, 'the part is inside');
    const numbers = decompress(bytes, file[start + 10]);
    assert.equal(numbers.length, columns * rows);
    numbers.forEach((number, k) => {
      const i = (top + Math.floor(k / columns)) * width + left + (k % columns);
      if (number !== kept) shown[i] = [...table.subarray(3 * number, 3 * number + 3)].join();
    });
    frames.push({ shown: [...shown], pixels: numbers.length });
  }
  return frames;
}

test('a moving picture shows every frame, and holds only what changed', async () => {
  const [width, height] = [90, 70];
  let seed = 7;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  const pixels = new Uint8ClampedArray(4 * width * height);
  const paint = (/** @type {number} */ i) => pixels.set([8 * random(6), 8 * random(6), 8 * random(6), 255], 4 * i);
  for (let i = 0; i < width * height; i++) paint(i);
  /** @type {number[][]} */
  const changes = [[], [5 * width + 3], [], [9 * width + 80, 60 * width + 2], [0], [width * height - 1]];
  const all = new Uint8ClampedArray(4 * 216);
  for (let n = 0; n < 216; n++) all.set([8 * (n % 6), 8 * (Math.floor(n / 6) % 6), 8 * Math.floor(n / 36), 255], 4 * n);
  const picture = new MovingPicture([all], width, height);
  const wanted = [];
  for (const places of changes) {
    places.forEach(paint);
    const frame = pixels.slice();
    picture.add(frame, 100);
    wanted.push(Array.from({ length: width * height }, (_, i) => [...frame.subarray(4 * i, 4 * i + 3)].join()));
  }
  const frames = framesOf(new Uint8Array(await picture.end().arrayBuffer()));
  assert.deepEqual(frames.map(({ shown }) => shown), wanted);
  assert.deepEqual(frames.map(({ pixels }) => pixels), [width * height, 1, 1, 79 * 52, 1, 1]);
});
