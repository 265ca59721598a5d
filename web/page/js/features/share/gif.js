//! Writes moving pictures in the format GIF. The module knows pixels, and no games.
// CITE: CompuServe, "Graphics Interchange Format, version 89a", https://www.w3.org/Graphics/GIF/spec-gif89a.txt

/** The number of colours, and the bits of a number of a colour. */
const [COLOURS, BITS] = [256, 8];
/** The number that leaves a pixel as it was in the frame before. */
const KEPT = COLOURS - 1;
/** The largest code of the compression. */
const MAX_CODE = 4095;
/** Colours are compared with so many bits of each part. */
const KEY_SHIFT = 3;

/** Returns a number for colours that look alike. @param {number} r @param {number} g @param {number} b */
const keyOf = (r, g, b) => ((r >> KEY_SHIFT) << 10) | ((g >> KEY_SHIFT) << 5) | (b >> KEY_SHIFT);

/** Returns the most frequent colours of pictures, as red, green, blue. @param {Uint8ClampedArray[]} pictures */
function paletteOf(pictures) {
  /** @type {Map<number, { count: number, colour: number[] }>} */
  const found = new Map();
  for (const pixels of pictures) {
    for (let i = 0; i < pixels.length; i += 4) {
      const [r = 0, g = 0, b = 0] = pixels.subarray(i, i + 3);
      const key = keyOf(r, g, b);
      const known = found.get(key);
      if (known) known.count++;
      else found.set(key, { count: 1, colour: [r, g, b] });
    }
  }
  const sorted = [...found.values()].sort((a, b) => b.count - a.count).slice(0, KEPT);
  return sorted.map(({ colour }) => colour);
}

/** Returns a function that finds the nearest colour of a palette. @param {number[][]} palette */
function nearestIn(palette) {
  /** @type {Map<number, number>} */
  const known = new Map();
  return (/** @type {number} */ r, /** @type {number} */ g, /** @type {number} */ b) => {
    const key = keyOf(r, g, b);
    let best = known.get(key);
    if (best !== undefined) return best;
    let least = Infinity;
    best = 0;
    palette.forEach(([pr = 0, pg = 0, pb = 0], i) => {
      const distance = (r - pr) ** 2 + (g - pg) ** 2 + (b - pb) ** 2;
      if (distance < least) [least, best] = [distance, i];
    });
    known.set(key, best);
    return best;
  };
}

/** Collects codes of a changing number of bits as bytes. */
class BitWriter {
  /** @type {number[]} */
  bytes = [];
  bits = 0;
  count = 0;

  /** @param {number} code @param {number} size in bits */
  write(code, size) {
    this.bits |= code << this.count;
    for (this.count += size; this.count >= 8; this.count -= 8) {
      this.bytes.push(this.bits & 255);
      this.bits >>>= 8;
    }
  }

  end() {
    if (this.count > 0) this.bytes.push(this.bits & 255);
    return this.bytes;
  }
}

/** Compresses the numbers of colours (LZW). @param {Uint8Array} numbers */
function compress(numbers) {
  const [clear, end] = [1 << BITS, (1 << BITS) + 1];
  const out = new BitWriter();
  /** The codes of known strings, by the code of the string before and the next number. @type {Map<number, number>} */
  let codes = new Map();
  let [size, next] = [BITS + 1, end + 1];
  out.write(clear, size);
  let prefix = numbers[0] ?? 0;
  for (const number of numbers.subarray(1)) {
    const key = prefix * COLOURS + number;
    const known = codes.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    out.write(prefix, size);
    if (next <= MAX_CODE) {
      codes.set(key, next);
      if (next === 1 << size) size++;
      next++;
    } else {
      out.write(clear, size);
      codes = new Map();
      [size, next] = [BITS + 1, end + 1];
    }
    prefix = number;
  }
  out.write(prefix, size);
  out.write(end, size);
  return out.end();
}

/** Cuts bytes into the blocks of the format. @param {number[]} bytes */
function* blocks(bytes) {
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    yield block.length;
    yield* block;
  }
  yield 0;
}

/** @param {number} n */
const word = (n) => [n & 255, n >> 8];

/**
 * Returns the least rectangle that holds all changes: its left and upper side, its width and height. Without a change it is one pixel.
 * @param {Uint32Array | null} before @param {Uint32Array} now @param {number} width of the pictures
 */
function changedPart(before, now, width) {
  if (!before) return [0, 0, width, now.length / width];
  const differs = (/** @type {number} */ i) => before[i] !== now[i];
  let [first, last] = [0, now.length - 1];
  while (first < last && !differs(first)) first++;
  while (last > first && !differs(last)) last--;
  const [top, bottom] = [Math.floor(first / width), Math.floor(last / width)];
  let [left, right] = [first % width, first % width];
  for (let row = top * width; row <= bottom * width; row += width) {
    for (let x = 0; x < left; x++) if (differs(row + x)) left = x;
    for (let x = width - 1; x > right; x--) if (differs(row + x)) right = x;
  }
  return [left, top, right - left + 1, bottom - top + 1];
}

/**
 * A moving picture that repeats. Each frame is compressed when it is added, because a long game has too many for the memory. After the
 * first one a frame has only the part that changed.
 */
export class MovingPicture {
  /** The pixels of the last frame. @type {Uint32Array | null} */
  before = null;

  /** @param {Uint8ClampedArray[]} samples pictures that have all colours, as a canvas gives them @param {number} width @param {number} height */
  constructor(samples, width, height) {
    this.width = width;
    const palette = paletteOf(samples);
    this.nearest = nearestIn(palette);
    const text = (/** @type {string} */ words) => Array.from(words, (sign) => sign.charCodeAt(0));
    const table = Array.from({ length: COLOURS }, (_, i) => palette[i] ?? [0, 0, 0]).flat();
    const repeats = [0x21, 0xff, 11, ...text('NETSCAPE2.0'), 3, 1, 0, 0, 0];
    this.parts = [Uint8Array.of(...text('GIF89a'), ...word(width), ...word(height), 0xf7, 0, 0, ...table, ...repeats)];
  }

  /** @param {Uint8ClampedArray} pixels as a canvas gives them, which stay as they are @param {number} delay how long the frame is shown, in ms */
  add(pixels, delay) {
    const { before, width } = this;
    const now = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
    const [left = 0, top = 0, columns = 0, rows = 0] = changedPart(before, now, width);
    const numbers = new Uint8Array(columns * rows);
    for (let k = 0; k < numbers.length; k++) {
      const i = (top + Math.floor(k / columns)) * width + left + (k % columns);
      const isKept = before && before[i] === now[i];
      numbers[k] = isKept ? KEPT : this.nearest(pixels[4 * i] ?? 0, pixels[4 * i + 1] ?? 0, pixels[4 * i + 2] ?? 0);
    }
    this.before = now;
    // The frame stays under the next one, and one colour is transparent.
    const flags = (1 << 2) | 1;
    const part = [left, top, columns, rows].flatMap(word);
    const head = [0x21, 0xf9, 4, flags, ...word(Math.round(delay / 10)), KEPT, 0, 0x2c, ...part, 0, BITS];
    this.parts.push(Uint8Array.of(...head), Uint8Array.from(blocks(compress(numbers))));
  }

  /** Returns the file. */
  end() {
    return new Blob([...this.parts, Uint8Array.of(0x3b)], { type: 'image/gif' });
  }
}
