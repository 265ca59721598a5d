// Scenarios 14 and 15: a killed server, two tabs, links.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Board } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';
import { holdFirstAnswers, serveAnotherVersion } from '../lib/sockets.mjs';


scenario('14 the server is killed in its own turn and started again: no move lost or doubled', async (_, { browser }) => {
  const server = await startServer();
  const board = await Board.open(browser, server.url, { connects: false });
  await holdFirstAnswers(board.page);
  await board.page.reload();
  await board.connected();
  await board.newGame({ variant: 'gomokufreestyle', level: 10 });
  await board.click('h8');
  await board.statusIs(/thinking/);
  await server.kill();
  await board.page.locator('#banner').filter({ hasText: 'Engine server gone' }).waitFor();
  assert.deepEqual(await board.stones(), ['h8 black']);
  const again = await startServer({ port: server.port });
  // The page may have come back by itself before the press.
  await board.page.evaluate(() => document.querySelector('#banner button').click());
  await board.connected();
  const stones = await board.stonesAre(2);
  assert.equal(stones[0], 'h8 black');
  await board.statusIs(/Your turn/);
  await board.click('a1');
  await board.beginsWith([...stones, 'a1 black']);
  assert.deepEqual(board.faults, []);
  await board.close();
  await again.kill();
});

/** Waits until two tabs show the same moves: both ask the engine, and the answer that is saved first counts in both. */
async function sameStones(one, two, count) {
  const all = async () => [await one.stonesAre(count), await two.stonesAre(count)].map((stones) => stones.join());
  for (let [here, there] = await all(); here !== there; [here, there] = await all()) await new Promise((resolve) => { setTimeout(resolve, 50); });
}

scenario('14 two tabs with one game: the move is there once in both', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.click('h8');
  await board.stonesAre(2);
  const second = new Board(board.context, await board.context.newPage(), board.url);
  await second.page.goto(board.url);
  await second.connected();
  await second.stonesAre(2);
  await second.click('a1');
  await sameStones(board, second, 4);
  await board.click('c3');
  await sameStones(board, second, 6);
});

scenario('14 a reload keeps the game, its place and its turn', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.click('h8');
  const before = await board.stonesAre(2);
  await board.page.reload();
  await board.connected();
  assert.deepEqual(await board.stonesAre(2), before);
  await board.statusIs(/Your turn/);
});

scenario('14 after a reload the first press takes a move back', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.click('h8');
  await board.stonesAre(2);
  await board.page.reload();
  // The buttons of the page itself are enabled until the game is drawn.
  await board.stonesAre(2);
  await board.page.locator('.actions [data-act=undo]:enabled').waitFor();
  await board.page.keyboard.press('Control+z');
  await board.stonesAre(0);
});

scenario('15 a link opens the same position in a fresh profile', async (board, { browser, server }) => {
  assert.deepEqual(await board.stonesAre(2), ['h8 black', 'i9 white']);
  const hash = new URL(board.page.url()).hash;
  const fresh = await Board.open(browser, server.url, { hash });
  assert.deepEqual(await fresh.stonesAre(2), ['h8 black', 'i9 white']);
  assert.match(await fresh.page.locator('.mv[aria-current]').textContent(), /I9/);
  assert.equal(await fresh.page.locator('.mv').count(), 3);
  await fresh.close();
}, { hash: '#v=renju&s=15&m=h8i9j7&at=2' });

scenario('15 a broken link says what is wrong', async (board) => {
  await board.statusIs(/"zz" at 3|"z"/);
  assert.deepEqual(await board.stones(), []);
}, { hash: '#v=renju&s=15&m=h8zz' });

scenario('a server that wants a token: a wrong one is asked for again, the right one connects, the game stays', async (_, { browser }) => {
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
  assert.deepEqual(await board.stonesAre(2), ['h8 black', 'i9 white']);
  assert.ok(!board.page.url().includes(token));
  assert.equal(await board.page.evaluate((secret) => JSON.stringify(localStorage).includes(secret), token), false);
  assert.deepEqual(board.faults, []);
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

scenario('14 Try now and the pauses are told while the server is gone', async (_, { browser }) => {
  const server = await startServer();
  const board = await Board.open(browser, server.url, { hash: '#v=renju&s=15&m=h8i9' });
  await server.kill();
  await board.page.locator('#bannertext').filter({ hasText: /Next try in \d s/ }).waitFor();
  await board.page.locator('.nav [data-act=first]').click();
  await board.stonesAre(0);
  await board.close();
});

scenario('a page that is left ends its endless search, though its session could still be resumed', async (_, { browser }) => {
  const server = await startServer();
  const board = await Board.open(browser, server.url, { hash: '#v=renju&s=15&m=h8i9' });
  const inUse = async () => Number(/^tengen_permits_in_use (\d+)/m.exec(await (await fetch(`${server.url}metrics`)).text())[1]);
  await board.mode('analyse');
  await board.page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
  assert.ok(await inUse() > 0, 'a search runs');
  const becomes = async (running) => { while ((await inUse() > 0) !== running) await new Promise((resolve) => { setTimeout(resolve, 50); }); };
  // What a browser tells a page that goes to the back/forward cache, and one that comes back.
  const tell = (kind) => board.page.evaluate((name) => dispatchEvent(new PageTransitionEvent(name, { persisted: true })), kind);
  await tell('pagehide');
  await becomes(false);
  await tell('pageshow');
  await becomes(true);
  await board.page.goto('about:blank');
  await becomes(false);
  await board.close();
  await server.kill();
});
