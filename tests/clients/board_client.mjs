// Sends the queries of a dialogue with the client module of the browser board, and prints all replies.
//
//     node --experimental-websocket board_client.mjs QUERIES TRANSPORT ARGUMENT..
//
// QUERIES is a JSON list. TRANSPORT is ws with an address, tcp with a port, or stdio with a program and its arguments.
// The module needs a WebSocket. For TCP and pipes it gets an object with the same methods, whose messages are lines.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Client } from '../../web/page/js/protocol/client.js';

const OPEN = 1;
const CLOSED = 3;

/** A simulated WebSocket: its messages are lines of two streams. */
function lines(input, output, end) {
  const socket = {
    readyState: OPEN,
    send: (text) => output.write(`${text}\n`),
    close: () => { socket.readyState = CLOSED; end(); },
  };
  createInterface({ input }).on('line', (data) => socket.onmessage({ data }))
    .on('close', () => socket.onclose({ code: 1000 }));
  setImmediate(() => socket.onopen());
  return socket;
}

const transports = {
  ws: ([address]) => new WebSocket(address, 'tengen.v1.json'),
  tcp: ([port]) => {
    const stream = connect(Number(port), '127.0.0.1');
    return lines(stream, stream, () => stream.end());
  },
  stdio: ([program, ...options]) => {
    const child = spawn(program, options, { stdio: ['pipe', 'pipe', 'inherit'] });
    return lines(child.stdout, child.stdin, () => child.stdin.end());
  },
};

const [queries, transport, ...rest] = process.argv.slice(2);
const asked = JSON.parse(queries);
const replies = [];
let ended = 0;

/** The ids of the dialogue by the ids that the module gives. */
const names = new Map();
const named = (value) => names.get(value) ?? value;

/** Sends a query and waits for the last reply of each of its turns. */
function ask(client, { id, ...query }) {
  let due = query.analyze_turns === 'all' ? query.moves.length + 1 : 1;
  const own = client.ask(query, (reply, last) => {
    const { seq, ...plain } = reply;
    for (const field of ['id', 'terminate_id']) if (field in plain) plain[field] = named(plain[field]);
    replies.push(plain);
    if (!last) return;
    due -= 1;
    // The module closes a query after its first last reply, because the board asks for one turn at a time. Open it again.
    if (due > 0 && reply.type !== 'error') client.open.set(own, { query: {}, handler: entry.handler, resent: false });
    else if (++ended === asked.length) finish(client);
  });
  const entry = client.open.get(own);
  names.set(own, id);
}

function finish(client) {
  console.log(JSON.stringify(replies));
  client.hooks.changed = () => {};
  client.closeSocket();
}

const client = new Client({
  open: () => transports[transport](rest),
  setTimer: () => { throw new Error('the connection was lost'); },
  clearTimer: () => {},
  now: () => Date.now(),
  token: () => null,
  changed: (state) => { if (state === 'open') start(); },
  notice: (reply) => { throw new Error(JSON.stringify(reply)); },
});

function start() {
  for (const query of asked) {
    const target = [...names].find(([, name]) => name === query.terminate_id)?.[0];
    ask(client, target ? { ...query, terminate_id: target } : query);
  }
}

client.connect();
