// Scenarios 14 and 15: a killed server, two tabs, links, tokens.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Board } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';
import { dropFirstAnswers, serveAnotherVersion } from '../lib/sockets.mjs';


scenario('14 the server is killed while it thinks and started again: no move is lost or doubled', async (_, { browser }) => {
  const server = await startServer();
  const board = await Board.open(browser, server.url, { connects: false });
  await dropFirstAnswers(board.page);
  await board.page.reload();
  await board.connected();
  await board.newGame({ variant: 'gomokufreestyle', level: 10 });
  await board.clickWhenFree('h8');
  await board.waitForStatus(/thinking/);
  await server.kill();
  await board.page.locator('#banner').filter({ hasText: 'Connection lost' }).waitFor();
  assert.deepEqual(await board.stones(), ['h8 black']);
  const again = await startServer({ port: server.port });
  // The page may have reconnected by itself before the click.
  await board.page.evaluate(() => document.querySelector('#banner button').click());
  await board.connected();
  const stones = await board.waitForStones(2);
  assert.equal(stones[0], 'h8 black');
  await board.waitForStatus(/Your turn/);
  await board.clickWhenFree('a1');
  await board.waitForGameStart([...stones, 'a1 black']);
  assert.deepEqual(board.errors, []);
  await board.close();
  await again.kill();
});

/** Waits until two tabs show equal moves. Both ask the engine, and both take the answer that is saved first. */
async function sameStones(one, two, count) {
  const all = async () => [await one.waitForStones(count), await two.waitForStones(count)].map((stones) => stones.join());
  for (let [here, there] = await all(); here !== there; [here, there] = await all()) await new Promise((resolve) => { setTimeout(resolve, 50); });
}

scenario('14 two tabs with one game: the move is there once in both', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  const second = new Board(board.context, await board.context.newPage(), board.url);
  await second.page.goto(board.url);
  await second.connected();
  await second.waitForStones(2);
  await second.click('a1');
  await sameStones(board, second, 4);
  await board.clickWhenFree('c3');
  await sameStones(board, second, 6);
});

scenario('14 a reload keeps the game, the position shown and the turn', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  const before = await board.waitForStones(2);
  await board.page.reload();
  await board.connected();
  assert.deepEqual(await board.waitForStones(2), before);
  await board.waitForStatus(/Your turn/);
});

scenario('14 after a reload the first undo takes a move back', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  await board.page.reload();
  // Before the game is drawn, all buttons are enabled.
  await board.waitForStones(2);
  await board.page.locator('.actions [data-act=undo]:enabled').waitFor();
  await board.page.keyboard.press('Control+z');
  await board.waitForStones(0);
});

scenario('15 a link opens its position in a new profile', async (board, { browser, server }) => {
  assert.deepEqual(await board.waitForStones(2), ['h8 black', 'i9 white']);
  const hash = new URL(board.page.url()).hash;
  const fresh = await Board.open(browser, server.url, { hash });
  assert.deepEqual(await fresh.waitForStones(2), ['h8 black', 'i9 white']);
  assert.match(await fresh.page.locator('.mv[aria-current]').textContent(), /I9/);
  assert.equal(await fresh.page.locator('.mv').count(), 3);
  await fresh.close();
}, { hash: '#v=renju&s=15&m=h8i9j7&at=2' });

scenario('15 a broken link says what is wrong', async (board) => {
  await board.waitForStatus(/"zz" at 3|"z"/);
  assert.deepEqual(await board.stones(), []);
}, { hash: '#v=renju&s=15&m=h8zz' });

scenario('a server that wants a token: after a wrong one the page asks again, the right one connects, the game stays', async (_, { browser }) => {
  const folder = await mkdtemp(join(tmpdir(), 'board-token-'));
  const token = 'correct-horse-battery-staple-0123456789';
  await writeFile(join(folder, 'token'), `${token}\n`, { mode: 0o600 });
  const server = await startServer({ options: ['--token-file', join(folder, 'token')] });
  const board = await Board.open(browser, server.url, { hash: '#v=renju&s=15&m=h8i9', connects: false });
  for (const shown of ['a-wrong-token-of-thirty-two-signs-000', token]) {
    await board.page.locator('#token').fill(shown);
    await board.page.locator('dialog button[type=submit]').click();
  }
  await board.connected();
  assert.deepEqual(await board.waitForStones(2), ['h8 black', 'i9 white']);
  assert.ok(!board.page.url().includes(token));
  assert.equal(await board.page.evaluate((secret) => JSON.stringify(localStorage).includes(secret), token), false);
  assert.deepEqual(board.errors, []);
  await board.close();
  await server.kill();
  await rm(folder, { recursive: true });
});

scenario('a server of another version asks for a reload, and the game stays', async (board) => {
  const { page } = board;
  await serveAnotherVersion(page);
  await page.reload();
  await page.locator('#bannertext').filter({ hasText: 'Reload' }).waitFor();
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white']);
}, { hash: '#v=renju&s=15&m=h8i9' });

scenario('14 while the server is gone the page counts down to the next try', async (_, { browser }) => {
  const server = await startServer();
  const board = await Board.open(browser, server.url, { hash: '#v=renju&s=15&m=h8i9' });
  await server.kill();
  await board.page.locator('#bannertext').filter({ hasText: /Next try in \d s/ }).waitFor();
  await board.page.locator('.nav [data-act=first]').click();
  await board.waitForStones(0);
  await board.close();
});

scenario('a page that is left ends its infinite search, although its session can be resumed', async (_, { browser }) => {
  const server = await startServer();
  const board = await Board.open(browser, server.url, { hash: '#v=renju&s=15&m=h8i9' });
  const inUse = async () => Number(/^tengen_permits_in_use (\d+)/m.exec(await (await fetch(`${server.url}metrics`)).text())[1]);
  await board.mode('analyse');
  await board.page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
  assert.ok(await inUse() > 0, 'a search runs');
  const waitForSearch = async (running) => { while ((await inUse() > 0) !== running) await new Promise((resolve) => { setTimeout(resolve, 50); }); };
  // The events of a page that goes to the back/forward cache and comes back.
  const dispatch = (kind) => board.page.evaluate((name) => dispatchEvent(new PageTransitionEvent(name, { persisted: true })), kind);
  await dispatch('pagehide');
  await waitForSearch(false);
  await dispatch('pageshow');
  await waitForSearch(true);
  await board.page.goto('about:blank');
  await waitForSearch(false);
  await board.close();
  await server.kill();
});
