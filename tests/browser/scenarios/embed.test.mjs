// The embedded board: a game in a page of another host, by one script tag.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { scenario } from '../lib/scenario.mjs';

/** Serves a page with a script tag of an embedded board on another port. @param {string} attributes */
async function servePage(attributes) {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>a page</title><p>before</p><script ${attributes}></script><p>after</p>`));
  server.listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  return { url: `http://localhost:${server.address().port}/`, close: () => { server.closeAllConnections(); server.close(); } };
}

/** Opens a page with an embedded board of the server. @param {import('../lib/board.mjs').Board} board @param {string} game @param {Record<string, string>} [data] further attributes of the script */
async function embed(board, game, data = {}) {
  const attributes = Object.entries({ game, ...data }).map(([name, value]) => `data-${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`);
  const host = await servePage(`src="${board.url}embed.js" ${attributes.join(' ')}`);
  await board.page.goto(host.url);
  return { frame: board.page.frameLocator('iframe'), close: host.close };
}

const GAMES = [
  ['a link', '#v=renju&s=15&m=h8h9i9', 3],
  ['a record', '(;GM[4]RU[renju];B[hh]C[the centre];W[hg];B[ig])', 0],
  ['four in a row', '#v=cfour&s=7x6&m=d1d2d3&at=1', 1],
];
for (const [name, game, shown] of GAMES) {
  scenario(`embed: ${name} is shown in a page of another host, and can be stepped through`, async (board) => {
    const { frame, close } = await embed(board, game);
    const stones = (count) => frame.locator('.l-stones > .stone').nth(count - 1).waitFor();
    if (shown) await stones(shown);
    await frame.locator('#status', { hasText: `move ${shown} of 3` }).waitFor();
    if (shown) await frame.locator('[data-step="-9999"]').click();
    await frame.locator('#status', { hasText: 'move 0 of 3' }).waitFor();
    await frame.locator('[data-step="1"]').click();
    await frame.locator('#status', { hasText: 'move 1 of 3' }).waitFor();
    if (name === 'a record') await frame.locator('#status', { hasText: 'the centre' }).waitFor();
    await frame.locator('[data-step="1"]').press('End');
    await stones(3);
    assert.ok(await frame.locator('[data-step="1"]').isDisabled());
    assert.match(await frame.locator('#open').getAttribute('href'), /^\.\/#v=\w+.*&m=/);
    assert.equal(await frame.locator('[role=gridcell][aria-label*="move 1"]').count(), 1);
    close();
  });
}

for (const width of [100, 200, 300, 400]) {
  scenario(`embed: everything is in a frame of ${width} px`, async (board) => {
    const { frame, close } = await embed(board, '#v=renju&s=15&m=h8h9i9', { width: String(width) });
    await frame.locator('.l-stones > .stone').nth(2).waitFor();
    await frame.locator('#status', { hasText: 'move 3 of 3' }).waitFor();
    const cut = await frame.locator('body').evaluate(() => [...document.querySelectorAll('#board, #status, .steps button, #open')].filter((node) => node.checkVisibility()).filter((node) => { const box = node.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth || box.bottom > innerHeight; }).map((node) => `${node.id || node.dataset.step} ${JSON.stringify(node.getBoundingClientRect())}`));
    assert.deepEqual(cut, []);
    assert.equal(await frame.locator('body').evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    close();
  });
}

scenario('embed: a game that cannot be read says why', async (board) => {
  const { frame, close } = await embed(board, '#v=chess');
  await frame.locator('#status', { hasText: 'Link: no game "chess"' }).waitFor();
  close();
});

scenario('embed: keys step through the game, a click on the board plays nothing, and only files of the board are loaded', async (board) => {
  const sockets = [];
  board.page.on('websocket', (socket) => sockets.push(socket.url()));
  await board.leaveForRequests();
  const { frame, close } = await embed(board, '#v=renju&s=15&m=h8h9i9&at=0');
  const shows = (ply) => frame.locator('#status', { hasText: `move ${ply} of 3` }).waitFor();
  await shows(0);
  await frame.locator('[data-step="1"]').focus();
  for (const [key, ply] of [['ArrowRight', 1], ['PageDown', 2], ['End', 3], ['ArrowLeft', 2], ['PageUp', 1], ['Home', 0], ['ArrowLeft', 0]]) {
    await board.page.keyboard.press(key);
    await shows(ply);
  }
  await frame.locator('#board').click();
  await board.page.keyboard.type('h8');
  await board.page.keyboard.press('Enter');
  await board.page.keyboard.press('End');
  await shows(3);
  assert.equal(await frame.locator('.l-stones > .stone').count(), 3);
  const hosts = new Set(board.requests.map((url) => new URL(url).origin));
  assert.deepEqual([...hosts].sort(), [new URL(board.page.url()).origin, new URL(board.url).origin].sort());
  assert.deepEqual(board.requests.filter((url) => /client|worker|engine|puzzles/.test(url)), []);
  assert.deepEqual(sockets, []);
  close();
});

const HOSTILE = {
  'markup in an attribute': ['"><script>top.ran=1</script><img src=x onerror=top.ran=1>', {}, /no game|Line 1/],
  'an address of a script': ['javascript:top.ran=1', {}, /Line 1/],
  'markup in a link': ['#v=renju&s=15&m=h8"><img src=x onerror=top.ran=1>', {}, /Link: /],
  'a damaged record in a link': ['#sgf=%E0%A4%A', {}, /Line 1/],
  'markup in a comment': ['(;GM[4]RU[renju]C[<img src=x onerror=top.ran=1>])', { title: '"><img src=x onerror=top.ran=1>' }, /move 0 of 0/],
  'a size without a bound': ['#v=renju&s=15', { width: '1e9' }, /move 0 of 0/],
  'a size that is none': ['#v=renju&s=15', { width: '-5"><img src=x>' }, /move 0 of 0/],
  'a board without a bound': ['#v=custom&s=1e9&k=5', {}, /Link: /],
};
scenario('embed: hostile attributes run nothing, and a game that they do not hold says why', async (board) => {
  for (const [name, [game, data, words]] of Object.entries(HOSTILE)) {
    const { frame, close } = await embed(board, game, data);
    await frame.locator('#status', { hasText: words }).waitFor();
    const { ran, frames, images, widths } = await board.page.evaluate(() => ({
      ran: globalThis.ran, frames: document.querySelectorAll('iframe').length, images: document.images.length, widths: [...document.querySelectorAll('iframe')].map((one) => one.offsetWidth),
    }));
    assert.deepEqual([ran, frames, images], [undefined, 1, 0], name);
    assert.ok(widths.every((width) => width >= 100 && width <= 2000), `${name}: ${widths}`);
    assert.equal(await frame.locator('img').count(), 0, name);
    close();
  }
});
