// The engine as a module: the functions of `tengen_wasm_bindings.js`, and the book of four in a row, which is fetched with the
// first search of that game.
import init, { Engine as Bare } from './tengen_wasm_bindings.js';

export * from './tengen_wasm_bindings.js';
export default init;

// The size of the engine's code in bytes, which `packaging/build site` writes: a host that compresses does not tell it.
export const size = 'SIZE';

export class Engine {
  /** @param {(line: string) => void} send gets each line of the engine @param {number} tableMib from 1 to 256 */
  constructor(send, tableMib) {
    this.bare = new Bare(send, tableMib);
    // The lines that wait for the book, in their order.
    this.waiting = [];
  }

  /** Takes a line of the JSON protocol. The promise is fulfilled when the line has been taken. @param {string} text */
  async line(text) {
    if (this.waiting.length === 0 && !this.bare.needs_book(text)) return this.bare.line(text);
    if (this.waiting.push(text) === 1) await this.load();
  }

  async load() {
    try {
      const reply = await fetch(new URL('./cfour.book', import.meta.url));
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      this.bare.book(new Uint8Array(await reply.arrayBuffer()));
    } catch (error) {
      // The next search of four in a row tries again.
      console.warn(`cfour.book: ${error.message}. The first moves of four in a row are searched.`);
    }
    for (const text of this.waiting.splice(0)) this.bare.line(text);
  }
}
