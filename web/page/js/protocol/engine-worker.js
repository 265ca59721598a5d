//! The worker that runs the engine. A string is a line of the JSON protocol in both directions. An object tells
//! the state of the engine. Lines that come while it loads are kept. The name of the worker is the size of its table in MiB.

/** The module of the engine and its code, beside this file. */
const MODULE = './engine/tengen_wasm.js';
const CODE = './engine/tengen_wasm_bg.wasm';

/** @typedef {{ line: (text: string) => void }} Engine */
/** @typedef {{ default: (input: { module_or_path: Response }) => Promise<unknown>, Engine: new (send: (line: string) => void, mib: number) => Engine }} EngineModule */

const scope = /** @type {{ name: string, postMessage: (message: unknown) => void, onmessage: ((event: MessageEvent) => void) | null }} */ (/** @type {unknown} */ (globalThis));

/** Loads the code and reports how much is there. Returns it as a reply that can be compiled while it loads. */
async function loadCode() {
  const reply = await fetch(new URL(CODE, import.meta.url));
  if (!reply.ok || !reply.body) throw new Error(`${CODE}: ${reply.status}`);
  // The length counts compressed bytes if the server compresses.
  const total = reply.headers.get('content-encoding') ? 0 : Number(reply.headers.get('content-length') ?? 0);
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

async function start() {
  scope.postMessage({ state: 'loading', loaded: 0, total: 0 });
  const [module, code] = await Promise.all([/** @type {Promise<EngineModule>} */ (import(MODULE)), loadCode()]);
  await module.default({ module_or_path: code });
  scope.postMessage({ state: 'ready' });
  return new module.Engine((line) => scope.postMessage(line), Number(scope.name));
}

const engine = start();
engine.catch((error) => scope.postMessage({ state: 'failed', message: String(error) }));

scope.onmessage = ({ data }) => void engine.then((ready) => ready.line(data), () => {});
