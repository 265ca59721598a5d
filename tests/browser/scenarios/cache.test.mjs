// Scenario 14: the page comes back unchanged from the browser's back/forward cache.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Board, WITH_CACHE, launchWithCache } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';

const skip = !existsSync(WITH_CACHE) && `skipped: ${WITH_CACHE} is absent`;

const pause = () => new Promise((resolve) => { setTimeout(resolve, 50); });

/** Returns a metric of the server. @param {{ url: string }} server @param {string} name */
async function metric(server, name) {
  const text = await (await fetch(`${server.url}metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** Waits until a metric of the server has a value. */
async function waitForMetric(server, name, wanted) {
  while (await metric(server, name) !== wanted) await pause();
}

/** Sessions that are connected or can be resumed. */
const SESSIONS = 'tengen_sessions{kind="websocket"}';
/** Options of a server that drops a session soon after its connection. */
const FORGET = ['--limit', 'resume_ms=100'];
const SEARCHES = 'tengen_permits_in_use';

/** Leaves the board for another page. The document goes to the cache. */
async function leave(board) {
  await board.page.evaluate(() => { globalThis.stayed = true; globalThis.persisted = []; addEventListener('pageshow', (event) => globalThis.persisted.push(event.persisted)); });
  await board.page.goto('about:blank');
}

/** Goes back to the board, and checks that the document came from the cache. */
async function comeBack(board) {
  // A query fails while the browser changes from one document to the other.
  const ask = (question) => board.page.evaluate(question).catch(() => undefined);
  await ask(() => history.back());
  while (await ask(() => document.getElementById('board') !== null && globalThis.persisted?.length !== 0) !== true) await pause();
  assert.deepEqual(await board.page.evaluate(() => [globalThis.stayed, globalThis.persisted]), [true, [true]]);
  await board.connected();
}

/** Registers a scenario with its own browser and server. @param {string} name @param {{ hash?: string, options?: string[] }} page @param {(board: Board, server: any) => Promise<void>} run */
function cached(name, { hash, options = [] }, run) {
  scenario(`14 back/forward cache: ${name}`, async () => {
    const [browser, server] = await Promise.all([launchWithCache(), startServer({ options: ['--workers', '2', '--hash', '16', ...options] })]);
    try {
      const board = await Board.open(browser, server.url, { hash });
      await run(board, server);
      assert.deepEqual(board.errors, []);
    } finally {
      await browser.close();
      await server.kill();
    }
  }, { skip });
}

cached('the engine moves once, and the game continues', {}, async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', seats: 'first', level: 10 });
  await board.clickWhenFree('h8');
  await board.waitForStatus(/thinking/);
  await leave(board);
  await comeBack(board);
  const stones = await board.waitForStones(2);
  assert.equal(stones[0], 'h8 black');
  await board.waitForStatus(/Your turn/);
  await board.clickWhenFree('a1');
  await board.waitForGameStart([...stones, 'a1 black']);
  await board.waitForStones(4);
});

cached('no analysis runs there, and the connection is closed', { hash: '#v=renju&s=15&m=h8i9j7', options: FORGET }, async (board, server) => {
  await board.mode('analyse');
  await board.page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
  assert.equal(await metric(server, SEARCHES), 1);
  await leave(board);
  await waitForMetric(server, SEARCHES, 0);
  await waitForMetric(server, SESSIONS, 0);
  await comeBack(board);
  await waitForMetric(server, SEARCHES, 1);
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white', 'j7 black']);
});

cached('moves that another tab has played are there', {}, async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', seats: 'first', level: 0 });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  await leave(board);
  const other = new Board(board.context, await board.context.newPage(), board.url);
  await other.page.goto(board.url);
  await other.connected();
  await other.waitForStones(2);
  await other.click('a1');
  const stones = await other.waitForStones(4);
  await other.page.close();
  await comeBack(board);
  assert.deepEqual(await board.waitForStones(4), stones);
  await board.clickWhenFree('c3');
  await board.waitForGameStart([...stones, 'c3 black']);
});
