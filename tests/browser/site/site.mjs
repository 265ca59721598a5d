// The site under test: the folder that `packaging/build site` wrote, and a static server for it.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder of the site. */
export const SITE = process.env.TENGEN_SITE;
if (!SITE) throw new Error('TENGEN_SITE: name the folder that packaging/build site wrote');

/** Where the page looks for the engine, inside the site. */
export const ENGINE = 'js/protocol/engine';

/** The headers with which a browser lets workers share memory. */
export const ISOLATION = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** The URL of a file of the site on this machine. @param {string} name */
export const fileOf = (name) => pathToFileURL(join(SITE, name));

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json' };

/**
 * Serves the site as any static host does, without a header of its own. `extra` are files by path that are not in the folder or
 * differ from it; the connection breaks in the middle of one that is null. `headers` come with each file.
 * @param {Record<string, string | null>} [extra] @param {number} [port] 0: any free port @param {Record<string, string>} [headers]
 */
export async function serveSite(extra = {}, port = 0, headers = {}) {
  /** The paths that were asked for. @type {string[]} */
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    asked.push(path);
    const type = TYPES[extname(path)] ?? (path.endsWith('/') ? 'text/html' : 'application/octet-stream');
    if (extra[path] === null) return response.writeHead(200, { 'content-type': type, 'content-length': 1000 }).write('x', () => response.destroy());
    if (extra[path] !== undefined) return response.writeHead(200, { ...headers, 'content-type': type }).end(extra[path]);
    const file = join(SITE, normalize(path), path.endsWith('/') ? 'index.html' : '');
    const found = await stat(file).catch(() => null);
    if (!found?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { ...headers, 'content-type': type, 'content-length': found.size });
    if (request.method === 'HEAD') return response.end();
    createReadStream(file).pipe(response);
  });
  server.listen(port, '127.0.0.1');
  // A test that fails does not close it; the process ends anyway.
  server.unref();
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
