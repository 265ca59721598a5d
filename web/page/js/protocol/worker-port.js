//! The engine in the page, as a port of the client. A worker hears nothing while it searches. So one worker
//! answers about the rules, and another one searches one query after another. A stop ends that worker:
//! the port answers with the last report, and the next query starts a new worker. While a search without
//! an end runs, the first worker does other searches too, with its small table.

import { scriptAddress } from './addresses.js';

/** @typedef {{ type: string, id?: string | number | null, [name: string]: any }} Message */
/** @typedef {{ state: 'loading', loaded: number, total: number } | { state: 'ready' } | { state: 'idle', id: string } | { state: 'failed', message: string }} WorkerState */
/**
 * @typedef {object} Parts what the port needs; tests replace the worker
 * @property {(part: number | null) => void} loading
 * @property {() => void} [ready] called when an engine is ready
 * @property {(mib: number) => Worker} [start] starts a worker whose name is the size of its table
 * @property {() => number} [memory] the size of the table of the search, in MiB
 */

const [CONNECTING, OPEN, CLOSED] = [0, 1, 3];
/** Actions that search. All others are about rules or the session; an opening is searched only for a decision. */
const SEARCHES = new Set(['analyze', 'solve', 'review']);
/** Replies that do not end a query. */
const INTERMEDIATE = new Set(['report', 'move', 'warning']);
/** The table of the worker that only knows rules, in MiB. */
const RULES_MIB = 1;

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

/** A worker with an engine. Lines that come before the engine is ready wait. */
class Engine {
  /** @param {{ start: (mib: number) => Worker, mib: number, line: (text: string) => void, state: (state: WorkerState) => void }} parts */
  constructor({ start, mib, line, state }) {
    this.worker = start(mib);
    this.worker.onmessage = ({ data }) => (typeof data === 'string' ? line(data) : state(data));
    this.worker.onerror = (event) => state({ state: 'failed', message: event.message || 'the worker did not start' });
  }

  /** @param {string} text */
  post(text) {
    this.worker.postMessage(text);
  }

  end() {
    this.worker.onmessage = null;
    this.worker.onerror = null;
    this.worker.terminate();
  }
}

export class WorkerPort {
  /** @param {Parts} parts */
  constructor({
    loading,
    ready = () => {},
    start = (mib) => new Worker(scriptAddress('engine'), { type: 'module', name: String(mib) }),
    memory = chosenMemory,
  }) {
    this.parts = { loading, ready, start, memory };
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
    return (this.rules ??= this.startEngine(RULES_MIB, (text) => this.onmessage?.({ data: text })));
  }

  /** @param {number} mib @param {(text: string) => void} line */
  startEngine(mib, line) {
    return new Engine({
      start: this.parts.start,
      mib,
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
    this.searcher ??= this.startEngine(this.parts.memory(), (text) => this.onLine(text));
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
