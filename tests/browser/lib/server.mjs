// The server under test: `tengen serve` on a free port of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));

/** Whether the page's files come from this working copy and not from the program. Then a change of the page needs no build. */
const OWN_PAGE = Boolean(process.env.BOARD_SOURCES);
const PAGE = new URL('../../../web/page/', import.meta.url);
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml' };
/** The policy of the server's page. */
export const POLICY = /const POLICY: &str = "([\s\S]*?)";/.exec(readFileSync(new URL('../../../web/src/page.rs', import.meta.url), 'utf8'))[1].replace(/\\\n\s*/g, '');

/** Serves the files of this working copy, and passes all else on to a server. @param {number} upstream the port of the server @param {number} port its own @param {boolean} hasEngine whether it has the engine for browsers */
async function serveSources(upstream, port, hasEngine) {
  const host = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://host').pathname;
    const name = path === '/' ? 'index.html' : path.slice(1);
    try {
      let body = readFileSync(new URL(name, PAGE));
      if (name === 'index.html' && hasEngine) body = body.toString().replace('<meta name="viewport"', '<meta name="tengen-engine" content="page">\n$&');
      response.writeHead(200, { 'content-type': `${TYPES[extname(name)]}; charset=utf-8`, 'cache-control': 'no-cache', ...(name === 'embed.html' ? {} : { 'content-security-policy': POLICY }) }).end(body);
    } catch {
      const reply = await fetch(`http://127.0.0.1:${upstream}${path}`).catch(() => null);
      response.writeHead(reply?.status ?? 502, { 'content-type': reply?.headers.get('content-type') ?? 'text/plain' }).end(Buffer.from((await reply?.arrayBuffer()) ?? []));
    }
  });
  host.on('upgrade', (request, socket) => {
    const target = connect(upstream, '127.0.0.1');
    // The server accepts only connections of its own page.
    const headers = Object.entries({ ...request.headers, host: `127.0.0.1:${upstream}`, origin: `http://127.0.0.1:${upstream}` });
    target.write(`GET ${request.url} HTTP/1.1\r\n${headers.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`);
    target.pipe(socket).pipe(target);
    for (const [one, other] of [[target, socket], [socket, target]]) one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  host.listen(port, '127.0.0.1');
  host.unref();
  await once(host, 'listening');
  return host;
}

/**
 * Starts a server and waits until it prints its address.
 * @param {{ port?: number, options?: string[] }} [options] port 0: any free port
 */
export async function startServer({ port = 0, options = [] } = {}) {
  const child = spawn(PROGRAM, ['serve', '--http', `127.0.0.1:${OWN_PAGE ? 0 : port}`, '--tcp', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = [];
  const address = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const found = /http:\/\/(127\.0\.0\.1:\d+)/.exec(line);
        if (found) resolve(found[1]);
      });
    }
    child.once('exit', (code) => reject(new Error(`tengen serve ended with ${code}: ${lines.join('\n')}`)));
  });
  const upstream = Number(address.split(':')[1]);
  const host = OWN_PAGE ? await serveSources(upstream, port, options.includes('--page-engine')) : null;
  return {
    url: `http://127.0.0.1:${host?.address().port ?? upstream}/`,
    port: host?.address().port ?? upstream,
    /** Kills the server, as in a crash. */
    async kill() {
      host?.closeAllConnections();
      host?.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
