//! The connection to the engine: a server behind a socket, or a worker in the page. Sends queries, dispatches
//! replies, reconnects and resumes. This module does not depend on a view or a game. Sockets and timers are passed in, so that tests can replace them.
//! The page's client connects as soon as this module is loaded, while other modules still load.
//!
//! A query stays open until its last reply. After a lost connection the client resumes its session.
//! If the server no longer knows the session, the client sends all open queries again. So each query
//! ends exactly once, even if the server is restarted.

/** @typedef {import('./types.js').Reply} Reply */
/** @typedef {import('./types.js').Query} Query */
/** @typedef {(reply: Reply, last: boolean) => void} Handler */
/** @typedef {'connecting' | 'open' | 'gone' | 'unauthorized'} State */
/**
 * A way to an engine. A `WebSocket` is one; `worker-port.js` has the other.
 * @typedef {object} Port
 * @property {number} readyState 0 to 3, as of a `WebSocket`
 * @property {(text: string) => void} send
 * @property {() => void} close
 * @property {((event: any) => void) | null} onopen
 * @property {((event: any) => void) | null} onmessage with `data`, a line of the protocol
 * @property {((event: any) => void) | null} onclose with `code`, as of a `WebSocket`
 */
/**
 * @typedef {object} Hooks
 * @property {() => Port | Promise<Port>} open opens a port
 * @property {(f: () => void, ms: number) => unknown} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => number} now the time in ms
 * @property {() => string | null} token the access token, or null
 * @property {(state: State, retryAt: number) => void} changed called when the state changes
 * @property {(notice: Reply) => void} notice called for replies that belong to no query
 * @property {(part: number | null) => void} [loading] called while the engine of the page loads: the loaded part, from 0 to 1; null at its end
 * @property {(where: 'auto' | 'server' | 'page') => void} [choose] chooses the engine
 * @property {() => void} [opened] called when the connection opens
 * @property {() => void} [warm] the engine will be needed soon
 * @property {(key: string, values: Record<string, number>) => string} [words] the text of an error that the client finds itself
 */
/** An open query. `lines`: its parts, the last one ends it; `sent`: whether this connection has them; `lost`: how many connections ended before a reply. @typedef {{ lines: Query[], handler: Handler, resent: boolean, sent: boolean, lost: number }} Entry */

/** Delays before each retry, in ms; the last one repeats. */
export const RETRY_DELAYS = [500, 1000, 2000, 4000, 8000];
/** After this time without a message, in ms, a page that wakes up sends a ping. */
const SILENT_MS = 20_000;
/** The longest wait for the reply to a ping, in ms. */
const PING_TIMEOUT = 4000;
/** The WebSocket codes of a normal close, and of a message that was too long. */
const NORMAL_CLOSE = 1000;
const TOO_LARGE = 1009;
/** A line of this many characters or more is sent only when the limit of the server is known. */
const LONG = 4096;
/** A query ends with an error when this many connections have ended before a reply to it. */
const MAX_LOST = 5;
/** The client tries this many times to connect. Then it waits for the user. */
const MAX_ATTEMPTS = 60;
/** A connection that ends sooner, in ms, counts as a failed attempt: the delays grow on. */
const SHORT_MS = 5000;
/** Types of replies that do not end a query. */
const INTERMEDIATE = new Set(['report', 'move', 'warning']);

/** The length of a query as a line, in bytes. @param {Query} query */
const bytesOf = (query) => new TextEncoder().encode(JSON.stringify(query)).length;

export class Client {
  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    /** @type {State} */
    this.state = 'connecting';
    /** @type {Port | null} */
    this.socket = null;
    /** The port that was opened last; it may still load. @type {Port | Promise<Port> | null} */
    this.opening = null;
    /** Whether a module did not load. A failed import stays failed until the page is loaded again. */
    this.needsReload = false;
    /** Whether the engine is a server's, and not one in the page. */
    this.isRemote = true;
    /** The token that the user has entered. @type {string | null} */
    this.token = null;
    /** The secret of a room, in place of a token. */
    this.room = '';
    /** @type {string | null} */
    this.session = null;
    this.lastSeq = 0;
    /** Open queries by id, in the order sent. @type {Map<string, Entry>} */
    this.open = new Map();
    /** The longest line that the server takes, in bytes; null until it has told its limits. @type {number | null} */
    this.lineBytes = null;
    this.attempts = 0;
    /** The attempts before the connection that is open. */
    this.attemptsBefore = 0;
    this.heardAt = 0;
    this.openSince = 0;
    this.count = 0;
    this.prefix = Math.random().toString(36).slice(2, 8);
    /** @type {unknown} */
    this.timer = null;
    this.retryAt = 0;
  }

  /** Connects now; a pending retry is dropped. */
  connect() {
    this.disconnect();
    let socket;
    try {
      socket = this.hooks.open();
    } catch {
      return this.retry();
    }
    this.opening = socket;
    if (!(socket instanceof Promise)) return this.use(socket);
    // A port that comes after another connection was begun is not used.
    const isWanted = () => this.opening === socket;
    void socket.then(
      (port) => (isWanted() ? this.use(port) : port.close()),
      (/** @type {Error} */ error) => isWanted() && this.onNoPort(error),
    );
  }

  /** @param {Error} error */
  onNoPort({ message }) {
    this.needsReload = true;
    this.hooks.notice({ type: 'error', code: 'no_engine', message });
    this.retry();
  }

  /** @param {Port} port */
  use(port) {
    this.closeSocket();
    this.socket = port;
    port.onopen = () => this.sendHello();
    port.onmessage = (/** @type {{ data: unknown }} */ event) => {
      if (port === this.socket) this.read(String(event.data));
    };
    port.onclose = (/** @type {{ code: number }} */ event) => {
      if (port === this.socket) this.onClose(event.code);
    };
  }

  /** Chooses the engine: of a server, in the page, or what is there. @param {'auto' | 'server' | 'page'} where */
  choose(where) {
    this.hooks.choose?.(where);
  }

  /** Called when an engine is ready: ends the attempts. */
  onReady() {
    if (this.attempts === 0) return;
    this.attempts = 0;
    this.setState(this.state);
  }

  /** The engine will be needed soon: loads it. */
  warm() {
    this.hooks.warm?.();
  }

  nextId() {
    return `${this.prefix}-${++this.count}`;
  }

  /** Sends a query and returns its id. @param {Query} query @param {Handler} handler @param {Query[]} [parts] earlier parts of the query, which have its id */
  ask(query, handler, parts = []) {
    const id = this.nextId();
    const lines = [...parts, query].map((line) => ({ ...line, id }));
    const entry = { lines, handler, resent: false, sent: false, lost: 0 };
    this.open.set(id, entry);
    if (this.state === 'open') this.sendEntry(id, entry);
    return id;
  }

  /** Sends a query, unless it is longer than the server takes. @param {string} id @param {Entry} entry */
  sendEntry(id, entry) {
    const longest = Math.max(...entry.lines.map(bytesOf));
    if (this.isRemote && longest >= LONG) {
      if (this.lineBytes === null) return void this.longestLine().then(() => this.open.has(id) && !entry.sent && this.sendEntry(id, entry));
      if (longest > this.lineBytes) return this.fail(id, 'query.too_large', { bytes: longest });
    }
    entry.sent = true;
    for (const line of entry.lines) this.send(line);
  }

  /** Returns the longest line that the engine takes, in bytes. */
  async longestLine() {
    if (!this.isRemote) return Infinity;
    if (this.lineBytes === null) await this.reply({ action: 'query_version' });
    return this.lineBytes ?? Infinity;
  }

  /** Ends a query with an error. The caller of `ask` has its id by then. @param {string} id @param {string} code @param {Record<string, number>} values */
  fail(id, code, values) {
    const entry = this.open.get(id);
    this.open.delete(id);
    const message = this.hooks.words?.(code, values) ?? code;
    queueMicrotask(() => entry?.handler({ type: 'error', id, code, message }, true));
  }

  /**
   * Sends a query and waits for its last reply. An error reply is thrown.
   * @param {Query} query @returns {Promise<Reply>}
   */
  reply(query) {
    return new Promise((resolve, reject) => {
      this.ask(query, (reply, last) => {
        if (last && reply.type === 'error') reject(new EngineError(reply));
        else if (last) resolve(reply);
      });
    });
  }

  /** Ends a query: the engine stops its search, and late replies are ignored. @param {string | null | undefined} id */
  cancel(id) {
    if (!id || !this.open.delete(id)) return;
    if (this.state === 'open') this.send({ id: this.nextId(), action: 'terminate', terminate_id: id });
  }

  /** Ends all open queries, when the page closes. */
  leave() {
    if (this.state === 'open' && this.open.size) this.send({ id: this.nextId(), action: 'terminate_all' });
    this.open.clear();
  }

  /** Closes the connection until the next {@link connect}. Open queries stay open. */
  disconnect() {
    this.opening = null;
    this.hooks.clearTimer(this.timer);
    this.closeSocket();
    this.setState('connecting');
  }

  /** Called when the page wakes up: reconnects a lost connection, and pings a silent one. */
  wake() {
    if (this.state === 'gone') return this.connect();
    if (this.state !== 'open' || this.hooks.now() - this.heardAt < SILENT_MS) return;
    const before = this.heardAt;
    this.ask({ action: 'query_version' }, () => {});
    this.hooks.setTimer(() => {
      if (this.heardAt === before) this.connect();
    }, PING_TIMEOUT);
  }

  /** @param {Query} message */
  send(message) {
    this.socket?.send(JSON.stringify(message));
  }

  /** Sends the first message on a new socket, which resumes the session if there is one. */
  sendHello() {
    /** @type {Query} */
    const hello = { id: this.nextId(), action: 'hello' };
    const token = this.token ?? this.hooks.token();
    if (token) hello.token = token;
    if (this.room) hello.room = this.room;
    if (this.session) Object.assign(hello, { resume: this.session, last_seq: this.lastSeq });
    this.send(hello);
  }

  /** @param {string} text */
  read(text) {
    this.heardAt = this.hooks.now();
    /** @type {Reply} */
    let reply;
    try {
      reply = JSON.parse(text);
    } catch {
      this.hooks.notice({ type: 'error', code: 'bad_json', message: text.slice(0, 64) });
      return;
    }
    if (reply.type === 'hello') return this.onHello(reply);
    if (typeof reply.seq === 'number') {
      if (reply.seq <= this.lastSeq) return;
      this.lastSeq = reply.seq;
    }
    if (reply.type === 'error' && this.onHelloError(reply)) return;
    this.dispatch(reply);
  }

  /** Handles an error of `hello`. Returns false for other errors. @param {Reply} reply @returns {boolean} */
  onHelloError(reply) {
    if (reply.code === 'unknown_session') {
      this.session = null;
      this.sendHello();
    } else if (reply.code === 'unauthorized') {
      this.closeSocket();
      this.setState('unauthorized');
    } else {
      return false;
    }
    return true;
  }

  /** The connection is open: sends open queries again. @param {Reply} reply */
  onHello(reply) {
    const resumed = reply.resumed === true && this.session === reply.session;
    this.session = reply.session ?? null;
    if (!resumed) this.lastSeq = reply.seq ?? 0;
    // The port of a worker opens before its engine is loaded.
    this.attemptsBefore = this.attempts;
    if (this.isRemote) this.attempts = 0;
    this.openSince = this.hooks.now();
    this.hooks.opened?.();
    const open = [...this.open];
    this.setState('open');
    // Replies that the server kept arrive before the reply to this query.
    if (resumed) this.ask({ action: 'query_version' }, () => this.resend(open));
    else this.resend(open);
  }

  /**
   * Sends open queries again. The server refuses those that it still has as duplicates. That is not an
   * error: the client cannot know which queries were lost.
   * @param {[string, Entry][]} entries
   */
  resend(entries) {
    for (const [id, entry] of entries) {
      if (!this.open.has(id)) continue;
      entry.resent = true;
      this.sendEntry(id, entry);
    }
  }

  /** Passes a reply to the handler of its query. @param {Reply} reply */
  dispatch(reply) {
    if (reply.type === 'version') this.lineBytes = reply.limits?.line_bytes ?? Infinity;
    if (!reply.id) return this.hooks.notice(reply);
    const entry = this.open.get(String(reply.id));
    if (!entry || (reply.type === 'error' && reply.code === 'duplicate_id' && entry.resent)) return;
    const last = !INTERMEDIATE.has(reply.type ?? '') && !reply.more;
    entry.lost = 0;
    if (last) this.open.delete(String(reply.id));
    entry.handler(reply, last);
  }

  /**
   * Handles the end of a connection. A server closes idle connections: then the client reconnects immediately.
   * @param {number} code
   */
  onClose(code) {
    const wasIdle = code === NORMAL_CLOSE && this.state === 'open' && this.hooks.now() - this.openSince > SILENT_MS;
    if (this.state === 'open' && this.hooks.now() - this.openSince < SHORT_MS) this.attempts = this.attemptsBefore;
    if (!wasIdle && this.isRemote) this.countLost(code);
    if (wasIdle) this.connect();
    else this.retry();
  }

  /** Ends the query that has closed the connection, and queries that were lost too often. @param {number} code */
  countLost(code) {
    const sent = [...this.open].filter(([, entry]) => entry.sent);
    for (const [, entry] of sent) Object.assign(entry, { sent: false, lost: entry.lost + 1 });
    if (code === TOO_LARGE && sent.length) {
      const [bytes, id] = sent
        .map(([name, { lines }]) => /** @type {const} */ ([Math.max(...lines.map(bytesOf)), name]))
        .sort(([a], [b]) => b - a)[0] ?? [0, ''];
      this.fail(id, 'query.too_large', { bytes });
    }
    for (const [id, { lost }] of sent) if (lost >= MAX_LOST && this.open.has(id)) this.fail(id, 'query.lost', { count: lost });
  }

  /** Reconnects after a delay; after many attempts only when the user wishes. */
  retry() {
    this.closeSocket();
    const delay = this.attempts < MAX_ATTEMPTS ? (RETRY_DELAYS[this.attempts] ?? 8000) : Infinity;
    this.attempts++;
    this.retryAt = this.hooks.now() + delay;
    this.setState('gone');
    if (delay < Infinity) this.timer = this.hooks.setTimer(() => this.connect(), delay);
  }

  closeSocket() {
    const { socket } = this;
    this.socket = null;
    if (socket && socket.readyState < 2) socket.close();
  }

  /** @param {State} state */
  setState(state) {
    this.state = state;
    this.hooks.changed(state, this.retryAt);
  }
}

/** An error reply of the engine. */
export class EngineError extends Error {
  /** @param {Reply} reply */
  constructor(reply) {
    super(reply.message ?? reply.code);
    this.reply = reply;
  }
}

/** Where the engine is by the user's setting. @returns {'auto' | 'server' | 'page'} */
function chosenEngine() {
  try {
    const { engine } = JSON.parse(localStorage.getItem('tengen.settings') ?? '{}');
    return engine === 'server' || engine === 'page' ? engine : 'auto';
  } catch {
    return 'auto';
  }
}

/** Returns the token of the tab, if the browser keeps it. */
function storedToken() {
  try {
    return sessionStorage.getItem('tengen.token');
  } catch {
    return null;
  }
}

/** Whether the page comes from a site that has the engine: only its page can be installed. */
const isSite = () => document.querySelector('link[rel=manifest]') !== null;

/** Makes the client of the page: of the server that serves it, or of the engine of a site. */
function makePageClient() {
  let where = chosenEngine();
  /** @type {Promise<import('./worker-port.js').WorkerPort> | null} */
  let worker = null;
  const openWorker = () => {
    client.isRemote = false;
    worker = import('./worker-port.js').then(
      ({ WorkerPort }) => new WorkerPort({ loading: (part) => client.hooks.loading?.(part), ready: () => client.onReady() }),
    );
    return worker;
  };
  const openSocket = () => {
    client.isRemote = true;
    worker = null;
    return new WebSocket(`${location.origin.replace('http', 'ws')}/v1/ws`, 'tengen.v1.json');
  };
  /** @type {Client} */
  const client = new Client({
    open: () => (!client.room && (where === 'page' || (where === 'auto' && isSite())) ? openWorker() : openSocket()),
    setTimer: (f, ms) => setTimeout(f, ms),
    clearTimer: (timer) => clearTimeout(timer),
    now: () => performance.now(),
    token: storedToken,
    changed: () => {},
    notice: () => {},
    opened: () => {
      if (client.attempts) client.warm();
    },
    choose: (next) => {
      where = next;
      client.attempts = 0;
      client.session = null;
      client.lineBytes = null;
      client.connect();
    },
    warm: () => void worker?.then((port) => port.warm()),
  });
  return client;
}

/** The client of the page; null in tests. */
export const pageClient = typeof document === 'undefined' ? null : makePageClient();
pageClient?.connect();
