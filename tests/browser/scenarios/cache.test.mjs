// Scenario 14: the page goes to the browser's back/forward cache and comes back as it was.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Board, WITH_CACHE, launchWithCache } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';

const skip = !existsSync(WITH_CACHE) && `skipped: ${WITH_CACHE} is absent`;

const pause = () => new Promise((resolve) => { setTimeout(resolve, 50); });

/** How many of something the server counts now. @param {{ url: string }} server @param {string} name */
async function count(server, name) {
  const text = await (await fetch(`${server.url}metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** Waits until the server counts so many. */
async function becomes(server, name, wanted) {
  while (await count(server, name) !== wanted) await pause();
}

/** Sessions whose connection lasts, or may be resumed still. */
const SESSIONS = 'tengen_sessions{kind="websocket"}';
/** A server that forgets a session soon after its connection. */
const FORGET = ['--limit', 'resume_ms=100'];
const SEARCHES = 'tengen_permits_in_use';

/** Leaves the board for another page. The document stays in the cache. */
async function leave(board) {
  await board.page.evaluate(() => { globalThis.stayed = true; globalThis.persisted = []; addEventListener('pageshow', (event) => globalThis.persisted.push(event.persisted)); });
  await board.page.goto('about:blank');
}

/** Goes back to the board, and makes sure that it came from the cache: the document is the one that was left. */
async function comeBack(board) {
  // The page that asks and the page that answers are two documents: a question in between has no answer.
  const ask = (question) => board.page.evaluate(question).catch(() => undefined);
  await ask(() => history.back());
  while (await ask(() => document.getElementById('board') !== null && globalThis.persisted?.length !== 0) !== true) await pause();
  assert.deepEqual(await board.page.evaluate(() => [globalThis.stayed, globalThis.persisted]), [true, [true]]);
  await board.connected();
}

/** A scenario with a browser and a server of its own. @param {string} name @param {{ hash?: string, options?: string[] }} wish @param {(board: Board, server: any) => Promise<void>} run */
function cached(name, { hash, options = [] }, run) {
  scenario(`14 back/forward cache: ${name}`, async () => {
    const [browser, server] = await Promise.all([launchWithCache(), startServer({ options: ['--workers', '2', '--hash', '16', ...options] })]);
    try {
      const board = await Board.open(browser, server.url, { hash });
      await run(board, server);
      assert.deepEqual(board.faults, []);
    } finally {
      await browser.close();
      await server.kill();
    }
  }, { skip });
}

cached('the engine moves once, and the game goes on', {}, async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', seats: 'first', level: 10 });
  await board.click('h8');
  await board.statusIs(/thinking/);
  await leave(board);
  await comeBack(board);
  const stones = await board.stonesAre(2);
  assert.equal(stones[0], 'h8 black');
  await board.statusIs(/Your turn/);
  await board.click('a1');
  await board.beginsWith([...stones, 'a1 black']);
  await board.stonesAre(4);
});

cached('no analysis runs there, and no connection lasts', { hash: '#v=renju&s=15&m=h8i9j7', options: FORGET }, async (board, server) => {
  await board.mode('analyse');
  await board.page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
  assert.equal(await count(server, SEARCHES), 1);
  await leave(board);
  await becomes(server, SEARCHES, 0);
  await becomes(server, SESSIONS, 0);
  await comeBack(board);
  await becomes(server, SEARCHES, 1);
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white', 'j7 black']);
});

cached('what another tab played meanwhile is there', {}, async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', seats: 'first', level: 0 });
  await board.click('h8');
  await board.stonesAre(2);
  await leave(board);
  const other = new Board(board.context, await board.context.newPage(), board.url);
  await other.page.goto(board.url);
  await other.connected();
  await other.stonesAre(2);
  await other.click('a1');
  const stones = await other.stonesAre(4);
  await other.page.close();
  await comeBack(board);
  assert.deepEqual(await board.stonesAre(4), stones);
  await board.click('c3');
  await board.beginsWith([...stones, 'c3 black']);
});
