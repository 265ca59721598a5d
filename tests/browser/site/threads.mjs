// Measures in Chromium what a second search thread gains: the time to a depth, and nodes a second, of the engine with one thread, and
// of the engine on shared memory with one thread and with two. It prints figures and has no limits. TENGEN_SITE=FOLDER node site/threads.mjs [ROUNDS]
import { launch } from '../lib/board.mjs';
import { ISOLATION, serveSite } from './site.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const POSITIONS = [
  { variant: 'gomoku', moves: 'h8 i9 h9 h7', depth: 10 },
  { variant: 'renju', moves: 'h8 i9 i8 g8 j10', depth: 10 },
  { variant: 'cfour', moves: 'd1 d2 d3 d4 e1', depth: 24, book: false },
];
/** The engines: `shared` is how many threads the engine on shared memory can have. */
const ENGINES = [{ name: 'one thread', shared: 0, threads: 1 }, { name: 'shared memory, one thread', shared: 2, threads: 1 }, { name: 'shared memory, two threads', shared: 2, threads: 2 }];

const site = await serveSite({}, 0, ISOLATION);
const browser = await launch();
const page = await browser.newPage();
await page.goto(site.url);
await page.evaluate(async () => {
  const { WorkerPort } = await import(new URL('js/protocol/worker-port.js', document.baseURI).href);
  const ports = {};
  globalThis.ask = (shared, query) => new Promise((resolve) => {
    ports[shared] ??= new WorkerPort({ loading: () => {}, threads: () => shared });
    const port = ports[shared];
    port.onmessage = ({ data }) => {
      const reply = JSON.parse(data);
      if (reply.id === query.id && reply.type !== 'report') resolve({ ms: reply.time_ms, nodes: reply.nodes, depth: reply.depth });
    };
    const send = () => port.send(JSON.stringify(query));
    if (port.readyState === 1) send();
    else port.onopen = send;
  });
});

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
for (const position of POSITIONS) {
  const runs = ENGINES.map(() => []);
  // One run of each engine in turn, so that other work on the machine meets all alike. The first round loads the engines.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, { shared, threads }] of ENGINES.entries()) {
      const query = { id: `${round}-${index}`, ...position, fresh: true, ...(shared ? { threads } : {}) };
      const run = await page.evaluate(([kind, line]) => ask(kind, line), [shared, query]);
      if (round > 0) runs[index].push(run);
    }
  }
  for (const [index, { name }] of ENGINES.entries()) {
    const ms = median(runs[index].map((run) => run.ms));
    const ratio = median(runs[index].map((run, round) => run.ms / runs[0][round].ms));
    const nps = median(runs[index].map((run) => (1000 * run.nodes) / run.ms));
    console.log(JSON.stringify({ variant: position.variant, depth: position.depth, name, ms, ratio: Number(ratio.toFixed(2)), nodes: median(runs[index].map((run) => run.nodes)), nps: Math.round(nps), all_ms: runs[index].map((run) => run.ms) }));
  }
}
await browser.close();
await site.close();
