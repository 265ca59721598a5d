//! The worker that runs the engine. A string is a line of the JSON protocol in both directions. An object tells
//! the state of the engine. Lines that come while it loads are kept. The name of the worker is the size of its table in MiB, and,
//! for an engine on shared memory, how many threads search. A worker with the name "helper" is such a thread.

/** The modules of the engine, beside this file. They load their code themselves. */
const MODULE = './engine/tengen_wasm.js';
const SHARED = './engine/tengen_threads.js';
/** The stack of a helper, in bytes: as that of the engine. */
const STACK = 8 << 20;

/** An engine; `waiting`: lines that wait for a book of openings @typedef {{ line: (text: string) => void, waiting?: unknown[] }} Engine */
/** `size`: of its code, in bytes, as the build of the site knows it @typedef {{ default: () => Promise<unknown>, size?: number, Engine: new (send: (line: string) => void, mib: number) => Engine }} EngineModule */
/** The code and the memory of an engine, for its helpers @typedef {{ module: unknown, memory: unknown }} Shared */
/** @typedef {Omit<EngineModule, 'default'> & { default: (parts?: object) => Promise<{ memory: unknown }>, module: () => unknown, help: () => void, provide_helpers: (count: number) => void }} SharedModule */

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

/** Called with the ports of the helpers. @type {(ports: readonly MessagePort[]) => void} */
let onHelpers = () => {};

/** Loads an engine on shared memory, and gives that to its helpers. @param {SharedModule} module @param {readonly MessagePort[]} helpers */
async function initShared(module, helpers) {
  const { memory } = await module.default();
  const shared = { module: module.module(), memory };
  const answers = helpers.map((port) => {
    port.postMessage(shared);
    return new Promise((resolve) => (port.onmessage = ({ data }) => resolve(data)));
  });
  const ready = await Promise.all(answers);
  module.provide_helpers(ready.filter(Boolean).length);
}

/** Loads the engine and tells how much of its code is there. @param {number} mib @param {number} threads 0 for an engine without shared memory */
async function start(mib, threads) {
  const helpers = threads > 1 ? new Promise((/** @type {typeof onHelpers} */ resolve) => (onHelpers = resolve)) : [];
  scope.postMessage({ state: 'loading', loaded: 0, total: 0 });
  /** @type {SharedModule} */
  const module = await import(threads ? SHARED : MODULE);
  const plain = scope.fetch;
  scope.fetch = async (input, init) => {
    const reply = await plain.call(globalThis, input, init);
    return reply.url.endsWith('.wasm') ? counted(reply, module.size ?? 0) : reply;
  };
  await (threads ? initShared(module, await helpers) : module.default());
  scope.postMessage({ state: 'ready' });
  return new module.Engine((line) => scope.postMessage(line), mib);
}

/** Helps the searches of an engine until this worker is ended. Tells the engine whether it can. @param {Shared} shared @param {MessagePort} port */
async function help({ module, memory }, port) {
  try {
    /** @type {SharedModule} */
    const own = await import(SHARED);
    await own.default({ module_or_path: module, memory, thread_stack_size: STACK });
    port.postMessage(true);
    // It does not return, so it waits until the message has left.
    setTimeout(own.help);
  } catch (error) {
    console.warn(`a search has a thread less: ${error}`);
    port.postMessage(false);
  }
}

/** Passes a line to the engine, and tells when the search of the line is over. @param {Engine} ready @param {string} text */
function take(ready, text) {
  ready.line(text);
  if (!ready.waiting?.length) scope.postMessage({ state: 'idle', id: JSON.parse(text).id });
}

/** @param {unknown} error */
const fail = (error) => scope.postMessage({ state: 'failed', message: error instanceof Error ? error.message : String(error) });

if (scope.name === 'helper') {
  scope.onmessage = ({ ports: [port] }) => port && (port.onmessage = ({ data }) => void help(data, port));
} else {
  const [mib = 0, threads = 0] = scope.name.split(' ').map(Number);
  const engine = start(mib, threads);
  scope.onmessage = ({ data, ports }) => {
    if (ports.length) return onHelpers(ports);
    void engine.then((ready) => take(ready, data)).catch(fail);
  };
  engine.catch(fail);
}
