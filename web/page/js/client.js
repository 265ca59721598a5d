//! The connection to the server: queries and their replies, reconnecting, resuming. It knows no
//! view and no game. The socket and the timers come from outside, so that tests need neither; the
//! client of a page connects as soon as this module is there, while the others still load.
//!
//! A query stays open until the line that ends it has come. After a lost connection the client
//! resumes its session. Where the server does not know the session any more, open queries are asked
//! again. So each query ends once, whatever happens to the server.

/** @typedef {{ type: string, id?: string | null, [name: string]: any }} Reply */
/** @typedef {Record<string, unknown>} Query */
/** @typedef {(reply: Reply, last: boolean) => void} Handler */
/** @typedef {'connecting' | 'open' | 'gone' | 'unauthorized'} State */
/**
 * @typedef {object} Hooks
 * @property {() => WebSocket} open opens a socket
 * @property {(f: () => void, ms: number) => unknown} later
 * @property {(timer: any) => void} forget
 * @property {() => number} now
 * @property {() => string | null} token
 * @property {(state: State, retryAt: number) => void} changed
 * @property {(notice: Reply) => void} notice
 */

/** Pauses before the next try, in ms; the last one repeats. */
export const PAUSES = [500, 1000, 2000, 4000, 8000];
/** A connection that says nothing for so long is asked whether it lives, after the page woke up. */
const SILENT = 20_000;
const PING_WAIT = 4000;
/** The code with which a socket is closed in order. */
const NORMAL = 1000;
/** Lines that end no query. */
const PASSING = new Set(['report', 'move', 'warning']);

export class Client {
  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    /** @type {State} */
    this.state = 'connecting';
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {string | null} */
    this.session = null;
    this.lastSeq = 0;
    /** Open queries by id, in the order asked. @type {Map<string, { query: Query, handler: Handler, again: boolean }>} */
    this.open = new Map();
    this.tries = 0;
    this.heard = 0;
    this.openSince = 0;
    this.count = 0;
    this.prefix = Math.random().toString(36).slice(2, 8);
    /** @type {unknown} */
    this.timer = null;
    this.retryAt = 0;
  }

  /** Connects now, whatever it waits for. */
  connect() {
    this.disconnect();
    let socket;
    try {
      socket = this.hooks.open();
    } catch {
      this.lost();
      return;
    }
    this.socket = socket;
    socket.onopen = () => this.greet(true);
    socket.onmessage = (event) => { if (socket === this.socket) this.read(String(event.data)); };
    socket.onclose = (event) => { if (socket === this.socket) this.closed(event.code); };
  }

  /** Asks, and says under which id. @param {Query} query @param {Handler} handler */
  ask(query, handler) {
    const id = `${this.prefix}-${++this.count}`;
    this.open.set(id, { query: { ...query, id }, handler, again: false });
    if (this.state === 'open') this.send({ ...query, id });
    return id;
  }

  /**
   * Asks, and waits for the line that ends the query. An error of the server is thrown.
   * @param {Query} query @returns {Promise<Reply>}
   */
  reply(query) {
    return new Promise((resolve, reject) => {
      this.ask(query, (reply, last) => {
        if (last && reply.type === 'error') reject(new ServerError(reply));
        else if (last) resolve(reply);
      });
    });
  }

  /** Ends a query: the server stops, and a late line is dropped unseen. @param {string | null | undefined} id */
  cancel(id) {
    if (!id || !this.open.delete(id)) return;
    if (this.state === 'open') this.send({ id: `${this.prefix}-${++this.count}`, action: 'terminate', terminate_id: id });
  }

  /** The page is left for good: the server need not finish what was asked. */
  leave() {
    if (this.state === 'open' && this.open.size) this.send({ id: `${this.prefix}-${++this.count}`, action: 'terminate_all' });
    this.open.clear();
  }

  /** Closes the connection until {@link connect}; open queries stay. */
  disconnect() {
    this.hooks.forget(this.timer);
    this.drop();
    this.set('connecting');
  }

  /** The page woke up: tries at once, or asks a silent connection whether it lives. */
  wake() {
    if (this.state === 'gone') return this.connect();
    if (this.state !== 'open' || this.hooks.now() - this.heard < SILENT) return;
    const before = this.heard;
    this.ask({ action: 'query_version' }, () => {});
    this.hooks.later(() => { if (this.heard === before) this.connect(); }, PING_WAIT);
  }

  /** @param {Query} message */
  send(message) {
    this.socket?.send(JSON.stringify(message));
  }

  /** The first line on a new socket. @param {boolean} resume */
  greet(resume) {
    /** @type {Query} */
    const hello = { id: `${this.prefix}-${++this.count}`, action: 'hello' };
    const token = this.hooks.token();
    if (token) hello.token = token;
    if (resume && this.session) Object.assign(hello, { resume: this.session, last_seq: this.lastSeq });
    this.send(hello);
  }

  /** @param {string} text */
  read(text) {
    this.heard = this.hooks.now();
    /** @type {Reply} */
    let reply;
    try {
      reply = JSON.parse(text);
    } catch {
      this.hooks.notice({ type: 'error', code: 'bad_json', message: text.slice(0, 64) });
      return;
    }
    if (reply.type === 'hello') return this.welcomed(reply);
    if (typeof reply.seq === 'number') {
      if (reply.seq <= this.lastSeq) return;
      this.lastSeq = reply.seq;
    }
    if (reply.type === 'error' && this.isOfHello(reply)) return;
    this.deliver(reply);
  }

  /** @param {Reply} reply @returns {boolean} */
  isOfHello(reply) {
    if (reply.code === 'unknown_session') {
      this.session = null;
      this.greet(false);
    } else if (reply.code === 'unauthorized') {
      this.drop();
      this.set('unauthorized');
    } else {
      return false;
    }
    return true;
  }

  /** @param {Reply} reply */
  welcomed(reply) {
    const resumed = reply.resumed === true && this.session === reply.session;
    this.session = reply.session ?? null;
    if (!resumed) this.lastSeq = reply.seq ?? 0;
    this.tries = 0;
    this.openSince = this.hooks.now();
    const open = [...this.open.values()];
    this.set('open');
    // What the server sent meanwhile comes before the answer to a question asked now.
    if (resumed) this.ask({ action: 'query_version' }, () => this.repeat(open));
    else this.repeat(open);
  }

  /**
   * Asks queries that are still open again. One that the server still has is refused as a duplicate,
   * which is no fault here: the query may have been lost on its way, and nobody can know.
   * @param {{ query: Query, again: boolean }[]} entries
   */
  repeat(entries) {
    for (const entry of entries) {
      if (!this.open.has(String(entry.query.id))) continue;
      entry.again = true;
      this.send(entry.query);
    }
  }

  /** @param {Reply} reply */
  deliver(reply) {
    const entry = reply.id ? this.open.get(reply.id) : undefined;
    if (!entry || !reply.id) {
      if (!reply.id) this.hooks.notice(reply);
      return;
    }
    if (reply.type === 'error' && reply.code === 'duplicate_id' && entry.again) return;
    const last = !PASSING.has(reply.type);
    if (last) this.open.delete(reply.id);
    entry.handler(reply, last);
  }

  /**
   * The connection ended. A server that closes one on which nothing was asked for long is not gone.
   * @param {number} code
   */
  closed(code) {
    const slept = code === NORMAL && this.state === 'open' && this.hooks.now() - this.openSince > SILENT;
    if (slept) this.connect();
    else this.lost();
  }

  /** Waits, and tries again. */
  lost() {
    this.drop();
    const pause = PAUSES[this.tries++] ?? 8000;
    this.retryAt = this.hooks.now() + pause;
    this.set('gone');
    this.timer = this.hooks.later(() => this.connect(), pause);
  }

  drop() {
    const { socket } = this;
    this.socket = null;
    if (socket && socket.readyState < 2) socket.close();
  }

  /** @param {State} state */
  set(state) {
    this.state = state;
    this.hooks.changed(state, this.retryAt);
  }
}

/** An error that the server sent. */
export class ServerError extends Error {
  /** @param {Reply} reply */
  constructor(reply) {
    super(reply.message ?? reply.code);
    this.reply = reply;
  }
}

/** The client of the page; in tests there is none. */
export const pageClient = typeof document === 'undefined' ? null : new Client({
  open: () => new WebSocket(`${location.origin.replace('http', 'ws')}/v1/ws`, 'tengen.v1.json'),
  later: (f, ms) => setTimeout(f, ms), forget: (timer) => clearTimeout(timer), now: () => performance.now(),
  token: () => sessionStorage.getItem('tengen.token'), changed: () => {}, notice: () => {},
});
pageClient?.connect();
