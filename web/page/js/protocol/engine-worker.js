//! The worker that runs the engine. A string is a line of the JSON protocol in both directions. An object tells
//! the state of the engine. Lines that come while it loads are kept. The name of the worker is the size of its table in MiB.

/** The module of the engine, beside this file. It loads its code itself. */
const MODULE = './engine/tengen_wasm.js';

/** An engine; `waiting`: lines that wait for a book of openings @typedef {{ line: (text: string) => void, waiting?: unknown[] }} Engine */
/** `size`: of its code, in bytes, as the build of the site knows it @typedef {{ default: () => Promise<unknown>, size?: number, Engine: new (send: (line: string) => void, mib: number) => Engine }} EngineModule */

const scope =
  /** @type {{ name: string, fetch: typeof fetch, postMessage: (message: unknown) => void, onmessage: ((event: MessageEvent) => void) | null }} */ (
    /** @type {unknown} */ (globalThis)
  );

/** Returns a reply whose bytes are counted while they come. @param {Response} reply @param {number} size the size of the file; 0 if it is unknown */
function counted(reply, size) {
  if (!reply.ok || !reply.body) return reply;
  // The length of the reply counts compressed bytes if the server compresses.
  const total = size || (reply.headers.get('content-encoding') ? 0 : Number(reply.headers.get('content-length') ?? 0));
  let loaded = 0;
  const counter = new TransformStream({
    transform(chunk, out) {
      loaded += chunk.byteLength;
      scope.postMessage({ state: 'loading', loaded, total });
      out.enqueue(chunk);
    },
  });
  return new Response(reply.body.pipeThrough(counter), { headers: { 'content-type': 'application/wasm' } });
}

/** Loads the engine and tells how much of its code is there. */
async function start() {
  scope.postMessage({ state: 'loading', loaded: 0, total: 0 });
  /** @type {EngineModule} */
  const module = await import(MODULE);
  const plain = scope.fetch;
  scope.fetch = async (input, init) => {
    const reply = await plain.call(globalThis, input, init);
    return reply.url.endsWith('.wasm') ? counted(reply, module.size ?? 0) : reply;
  };
  await module.default();
  scope.postMessage({ state: 'ready' });
  return new module.Engine((line) => scope.postMessage(line), Number(scope.name));
}

/** Passes a line to the engine, and tells when the search of the line is over. @param {Engine} ready @param {string} text */
function take(ready, text) {
  ready.line(text);
  if (!ready.waiting?.length) scope.postMessage({ state: 'idle', id: JSON.parse(text).id });
}

/** @param {unknown} error */
const fail = (error) => scope.postMessage({ state: 'failed', message: error instanceof Error ? error.message : String(error) });

const engine = start();
scope.onmessage = ({ data }) => void engine.then((ready) => take(ready, data)).catch(fail);
engine.catch(fail);
