// The embedded board: a game in a page of another host, by one script tag.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { scenario } from '../lib/scenario.mjs';

/** Serves a page with a script tag of an embedded board on another port. @param {string} attributes */
async function servePage(attributes) {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>a page</title><p>before</p><script ${attributes}></script><p>after</p>`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://localhost:${server.address().port}/`, close: () => { server.closeAllConnections(); server.close(); } };
}

/** Opens a page with an embedded board of the server. @param {import('../lib/board.mjs').Board} board @param {string} game */
async function embed(board, game) {
  const host = await servePage(`src="${board.url}embed.js" data-game="${game.replaceAll('"', '&quot;')}"`);
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

scenario('embed: a game that cannot be read says why', async (board) => {
  const { frame, close } = await embed(board, '#v=chess');
  await frame.locator('#status', { hasText: 'Link: no game "chess"' }).waitFor();
  close();
});
