// A static host with the page and an engine in the page that is no engine: it answers with the first free point. So tests see
// what the page does without a server, and without the time of a real engine. The real one is tested with the site.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { extname } from 'node:path';
import { POLICY } from './server.mjs';

const page = new URL('../../../web/page/', import.meta.url);
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json' };

const ENGINE = `
export const size = 1000;
export default async () => { await (await fetch(new URL('engine.wasm', import.meta.url))).arrayBuffer(); };
export class Engine {
  constructor(send, mib) { this.send = (message) => send(JSON.stringify(message)); this.mib = mib; }
  line(text) {
    const query = JSON.parse(text);
    const { id, action = 'analyze', moves = [] } = query;
    if (action === 'position') return this.send({ type: 'position', id, turn_number: moves.length, outcome: null, forbidden: [] });
    if (action === 'query_version') return this.send({ type: 'version', id, version: '0', variants: [{ name: 'renju', size: { min: 5, max: 22 } }], limits: {} });
    const best = 'abcdefghijklmno'.split('').map((letter) => letter + '1').find((point) => !moves.includes(point));
    const found = { id, turn_number: moves.length, depth: this.mib, nodes: 10, nps: 10, time_ms: 1, best, pv: [best], wdl: [500, 0, 500], moves: [{ rank: 1, move: best, score: { cp: 0 }, bound: 'exact', wdl: [500, 0, 500], pv: [best] }] };
    if (query.infinite) return this.send({ type: 'report', ...found });
    this.send({ type: 'answer', ...found, ended_by: 'nodes' });
  }
}
`;

/**
 * Serves the page as a site without a server of the protocol. `takes` may answer a request itself; then it returns true.
 * @param {(path: string, response: import('node:http').ServerResponse) => boolean} [takes]
 */
export async function serveSite(takes = () => false) {
  const asked = [];
  const extra = {
    '/js/protocol/engine/tengen_wasm.js': ENGINE, '/js/protocol/engine/engine.wasm': 'x'.repeat(1000), '/manifest.webmanifest': '{"name":"Tengen"}',
    '/': readFileSync(new URL('index.html', page), 'utf8').replace('<meta charset="utf-8">', '<meta charset="utf-8"><link rel="manifest" href="manifest.webmanifest">'),
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    asked.push(path);
    if (takes(path, response)) return undefined;
    let body = extra[path];
    try {
      body ??= readFileSync(new URL(`.${path}`, page));
    } catch {
      return response.writeHead(404).end();
    }
    return response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/html', 'content-length': Buffer.byteLength(body), 'content-security-policy': POLICY }).end(body);
  });
  server.listen(0, '127.0.0.1');
  // A test that fails does not close it; the process ends anyway.
  server.unref();
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, close: () => { server.closeAllConnections(); server.close(); } };
}
