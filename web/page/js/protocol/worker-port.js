//! The engine in the page, as a port of the client. A worker hears nothing while it searches. So one worker
//! answers about the rules, and another one searches one query after another. A stop ends that worker:
//! the port answers with the last report, and the next query starts a new worker. While a search without
//! an end runs, the first worker does other searches too, with its small table.
//!
//! Where the host allows shared memory, a search has several threads: its worker, and helpers that end with it.

import { scriptAddress } from './addresses.js';

/** @typedef {{ type: string, id?: string | number | null, [name: string]: any }} Message */
/** @typedef {{ state: 'loading', loaded: number, total: number } | { state: 'ready' } | { state: 'idle', id: string } | { state: 'failed', message: string }} WorkerState */
/**
 * @typedef {object} Parts what the port needs; tests replace the worker
 * @property {(part: number | null) => void} loading
 * @property {() => void} [ready] called when an engine is ready
 * @property {(name: string) => Worker} [start] starts a worker with a name, which `engine-worker.js` reads
 * @property {() => number} [memory] the size of the table of the search, in MiB
 * @property {() => number} [threads] how many threads a search has; 0 for an engine without shared memory
 */

const [CONNECTING, OPEN, CLOSED] = [0, 1, 3];
/** Actions that search. All others are about rules or the session; an opening is searched only for a decision. */
const SEARCHES = new Set(['analyze', 'solve', 'review']);
/** Replies that do not end a query. */
const INTERMEDIATE = new Set(['report', 'move', 'warning']);
/** The table of the worker that only knows rules, in MiB. */
const RULES_MIB = 1;
/** The largest number of search threads: a device has other work, and each further thread gains less. */
const MAX_THREADS = 4;

/** Whether the host of the page has the engine for browsers: a site, whose page can be installed, or a server that says so. */
export const hasEngine = () => document.querySelector('link[rel=manifest], meta[name=tengen-engine]') !== null;

/** Returns the size of the table, in MiB, by the user's setting. */
function chosenMemory() {
  try {
    const { memory } = JSON.parse(localStorage.getItem('tengen.settings') ?? '{}');
    return Number.isInteger(memory) && memory >= 16 && memory <= 256 ? memory : 64;
  } catch {
    return 64;
  }
}

/** Returns how many threads a search has: half of the processors, at least 2; 0 without shared memory or with one processor. */
function possibleThreads() {
  const cores = globalThis.crossOriginIsolated ? navigator.hardwareConcurrency : 1;
  return cores > 1 ? Math.min(MAX_THREADS, Math.max(2, Math.floor(cores / 2))) : 0;
}

/** A worker with an engine, and its helpers. Lines that come before the engine is ready wait. */
class Engine {
  /** @param {{ start: (name: string) => Worker, mib: number, threads: number, line: (text: string) => void, state: (state: WorkerState) => void }} parts `threads`: 0 for an engine without shared memory */
  constructor({ start, mib, threads, line, state }) {
    this.worker = start(threads ? `${mib} ${threads}` : String(mib));
    this.worker.onmessage = ({ data }) => (typeof data === 'string' ? line(data) : state(data));
    this.helpers = Array.from({ length: Math.max(0, threads - 1) }, () => start('helper'));
    // The engine gives its memory to the helpers. The page would keep it longer than they do.
    const ports = this.helpers.map((helper) => {
      const { port1, port2 } = new MessageChannel();
      helper.postMessage(null, [port2]);
      return port1;
    });
    if (ports.length) this.worker.postMessage(null, ports);
    // A search would wait for a failed helper without an end.
    for (const worker of [this.worker, ...this.helpers])
      worker.onerror = (event) => state({ state: 'failed', message: event.message || 'the worker did not start' });
  }

  /** @param {string} text */
  post(text) {
    this.worker.postMessage(text);
  }

  end() {
    for (const worker of [this.worker, ...this.helpers]) {
      worker.onmessage = null;
      worker.onerror = null;
      worker.terminate();
    }
  }
}

export class WorkerPort {
  /** @param {Parts} parts */
  constructor({
    loading,
    ready = () => {},
    start = (name) => new Worker(scriptAddress('engine'), { type: 'module', name }),
    memory = chosenMemory,
    threads = possibleThreads,
  }) {
    this.parts = { loading, ready, start, memory, threads: threads() };
    this.readyState = CONNECTING;
    /** @type {((event: any) => void) | null} */
    this.onopen = null;
    /** @type {((event: any) => void) | null} */
    this.onmessage = null;
    /** @type {((event: any) => void) | null} */
    this.onclose = null;
    /** @type {Engine | null} */
    this.rules = null;
    /** @type {Engine | null} */
    this.searcher = null;
    /** Whether an engine was ready before. Then the browser has its files, and another one loads in no time. */
    this.isLoaded = false;
    /** Searches that wait, in their order. @type {Message[]} */
    this.waiting = [];
    /** The search that runs, and its last report. @type {{ query: Message, report: Message | null } | null} */
    this.running = null;
    // The client listens by then.
    setTimeout(() => {
      if (this.readyState !== CONNECTING) return;
      this.readyState = OPEN;
      this.onopen?.({});
    });
  }

  /** Takes a line of the JSON protocol. @param {string} text */
  send(text) {
    /** @type {Message} */
    const query = JSON.parse(text);
    const { action = 'analyze', id } = query;
    if (action === 'hello') return this.reply({ type: 'hello', id, session: null, resumed: false, resume_s: 0 });
    if (action === 'terminate') return this.terminate(query, (one) => one.id === query.terminate_id);
    if (action === 'terminate_all') return this.terminate(query, () => true);
    const searches = SEARCHES.has(action) || query.decide;
    if (!searches || (this.running?.query.infinite && !query.infinite)) return this.rulesEngine().post(text);
    this.waiting.push(query);
    this.next();
  }

  /** Ends both workers. */
  close() {
    this.readyState = CLOSED;
    this.rules?.end();
    this.endSearcher();
    Object.assign(this, { rules: null, searcher: null, waiting: [], running: null });
  }

  /** Ends the worker that searches. It may still load: then it will not say that it is ready. */
  endSearcher() {
    this.searcher?.end();
    this.searcher = null;
    this.parts.loading(null);
  }

  /** Loads the engine before the first query. */
  warm() {
    if (this.readyState === OPEN) this.rulesEngine();
  }

  rulesEngine() {
    return (this.rules ??= this.startEngine(RULES_MIB, Math.min(1, this.parts.threads), (text) => this.onmessage?.({ data: text })));
  }

  /** @param {number} mib @param {number} threads 0 without shared memory @param {(text: string) => void} line */
  startEngine(mib, threads, line) {
    return new Engine({
      start: this.parts.start,
      mib,
      threads,
      line,
      state: (state) => (state.state === 'idle' ? this.endIdle(state.id) : this.onState(state)),
    });
  }

  /** Ends a search without an end that has nothing more to search. @param {string} id */
  endIdle(id) {
    const { query } = this.running ?? {};
    if (query?.infinite && query.id === id)
      this.searcher?.post(JSON.stringify({ id: `${query.id}-end`, action: 'terminate', terminate_id: query.id }));
  }

  /** @param {WorkerState} state */
  onState(state) {
    if (state.state === 'loading') {
      if (!this.isLoaded) this.parts.loading(state.total ? Math.min(1, state.loaded / state.total) : 0);
      return;
    }
    if (state.state === 'ready') {
      this.isLoaded = true;
      this.parts.loading(null);
      return this.parts.ready();
    }
    if (state.state !== 'failed') return;
    const { onclose } = this;
    // The client does not listen to a closed port.
    this.onmessage?.({ data: JSON.stringify({ type: 'error', id: null, code: 'no_engine', message: state.message }) });
    this.close();
    onclose?.({ code: 1011 });
  }

  /** Starts the next search, if none runs. */
  next() {
    if (this.running) return;
    const query = this.waiting.shift();
    if (!query) return;
    this.running = { query, report: null };
    this.searcher ??= this.startEngine(this.parts.memory(), this.parts.threads, (text) => this.onLine(text));
    this.searcher.post(JSON.stringify(query));
  }

  /** Passes on a line of the worker that searches. @param {string} text */
  onLine(text) {
    const { running } = this;
    /** @type {Message} */
    const reply = JSON.parse(text);
    const own = running !== null && reply.id === running.query.id;
    if (own && reply.type === 'report') running.report = reply;
    this.onmessage?.({ data: text });
    if (!own || INTERMEDIATE.has(reply.type)) return;
    this.running = null;
    this.next();
  }

  /** Ends searches: those that wait without a result, the one that runs with its last report. @param {Message} query @param {(one: Message) => boolean} isMeant */
  terminate(query, isMeant) {
    const ended = this.waiting.filter(isMeant);
    this.waiting = this.waiting.filter((one) => !isMeant(one));
    for (const one of ended) this.reply({ type: 'answer', id: one.id, turn_number: 0, no_results: true, ended_by: 'terminated' });
    const { running } = this;
    const stops = running !== null && isMeant(running.query);
    if (stops) {
      this.endSearcher();
      this.running = null;
      const { id } = running.query;
      this.reply(
        running.report
          ? { ...running.report, type: 'answer', ended_by: 'terminated' }
          : { type: 'answer', id, turn_number: 0, no_results: true, ended_by: 'terminated' },
      );
    }
    const { action, terminate_id } = query;
    this.reply({
      type: action,
      id: query.id,
      action,
      ...(terminate_id === undefined ? {} : { terminate_id }),
      count: ended.length + (stops ? 1 : 0),
    });
    this.next();
  }

  /** @param {Message} message */
  reply(message) {
    queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(message) }));
  }
}
