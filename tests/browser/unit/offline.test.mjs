// The service worker of the site: it answers for the files of the site, and for nothing else at its address.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

const SCRIPT = new URL('../../../packaging/site/offline.js', import.meta.url);

/** A worker of a site at /board/ with three files, and a network that counts. */
async function setUp() {
  const world = { listeners: {}, kept: new Map(), fetched: [] };
  const other = new Map();
  const shared = { put: async (address, reply) => void other.set(address, reply) };
  world.shared = other;
  const cache = {
    match: async ({ url }) => world.kept.get(url.split('?')[0]),
    put: async ({ url }, reply) => void world.kept.set(url.split('?')[0], reply),
  };
  const values = { "'VERSION'": '1', "['FILES']": ['./', 'js/main.js'], "['ALONE']": [], "['SHARED']": [], "['LATER']": ['book'] };
  let script = await readFile(SCRIPT, 'utf8');
  for (const [place, value] of Object.entries(values)) script = script.replace(place, JSON.stringify(value));
  const fetch = async ({ url }) => {
    world.fetched.push(url);
    return { status: 200, type: 'basic', text: `${url} from the network`, clone() { return this; } };
  };
  const self = { registration: { scope: 'https://host/board/' }, addEventListener: (kind, listener) => void (world.listeners[kind] = listener) };
  const caches = { open: async (name) => (name === 'shared-files' ? shared : cache) };
  runInNewContext(script, { self, fetch, URL, Set, File, Response, caches });
  /** The answer of the worker; `null` if the browser asks the network itself. */
  world.ask = async (url, method = 'GET') => {
    let answer = null;
    world.listeners.fetch({ request: { url, method }, respondWith: (reply) => void (answer = reply) });
    return answer && (await answer).text;
  };
  /** Shares a form with the installed page. Returns where the browser goes. */
  world.share = async (form) => {
    let answer = null;
    const request = { url: 'https://host/board/share', method: 'POST', formData: async () => form };
    world.listeners.fetch({ request, respondWith: (reply) => void (answer = reply) });
    const { status, headers } = await answer;
    return [status, headers.get('location')];
  };
  return world;
}

test('what is not a file of the site is neither answered nor kept', async () => {
  const world = await setUp();
  for (const url of [
    'https://host/board/account?user=anna',
    'https://host/board/account?user=ben',
    'https://host/board/v1/version',
    'https://host/board/js/other.js',
    'https://host/',
    'https://other/board/js/main.js',
  ]) {
    assert.equal(await world.ask(url), null, url);
  }
  assert.equal(await world.ask('https://host/board/js/main.js', 'POST'), null);
  assert.deepEqual([world.fetched, world.kept.size], [[], 0]);
});

test('a file of the site is kept when it is first fetched, whatever its query', async () => {
  const world = await setUp();
  for (const url of ['https://host/board/book', 'https://host/board/book?2', 'https://host/board/?lang=de', 'https://host/board/']) {
    assert.ok(await world.ask(url), url);
  }
  assert.deepEqual(world.fetched, ['https://host/board/book', 'https://host/board/?lang=de']);
});

test('shared files are kept until the page takes them, and a shared text as a file', async () => {
  const world = await setUp();
  const form = new FormData();
  form.append('text', 'a game');
  for (const name of ['one.sgf', '第二/2.lib']) form.append('files', new File([name], name));
  assert.deepEqual(await world.share(form), [303, 'https://host/board/?shared']);
  const kept = await Promise.all([...world.shared].map(async ([address, reply]) => [address, await reply.text()]));
  assert.deepEqual(kept, [['https://host/board/share/0/one.sgf', 'one.sgf'], [`https://host/board/share/1/${encodeURIComponent('第二/2.lib')}`, '第二/2.lib']]);
  world.shared.clear();
  const link = new FormData();
  link.append('url', 'https://host/#v=renju&m=h8');
  await world.share(link);
  assert.deepEqual(await Promise.all([...world.shared.values()].map((reply) => reply.text())), ['https://host/#v=renju&m=h8']);
  assert.equal(await world.ask('https://host/board/share'), null, 'only a form is received');
});
