// Rooms for scenarios: makes one, opens pages for the friend and for one who looks on, and plays there.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Board } from './board.mjs';
import { startServer } from './server.mjs';

/**
 * Makes a room with the fields of the dialog, and opens a page for the friend and for one who looks on.
 * @param {Board} board @param {any} browser @param {Record<string, string>} fields values by CSS selector; a radio button has ''
 * @param {(people: { own: Board, friend: Board, watcher: Board, server: () => any, restart: () => Promise<void> }) => Promise<void>} run
 * @param {{ limits?: string[], pages?: object, made?: (what: string) => Promise<void> }} [more] options of the server; of the pages of the
 * others; `made` is called for the dialog of a new game, and for that of the links
 */
export async function withRoom(board, browser, fields, run, { limits = [], pages = {}, made = async () => {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tengen-rooms-'));
  const options = ['--rooms', folder, '--workers', '1', '--hash', '16', ...limits];
  let server = await startServer({ options });
  const others = [];
  const restart = async () => {
    // A page without a server cannot load the rest of its files, and says so. That is another scenario.
    for (const one of [board, ...others]) await one.until(() => performance.getEntriesByName('tengen.complete').length > 0);
    await server.kill();
    server = await startServer({ port: server.port, options });
  };
  try {
    await board.page.goto(server.url);
    await board.connected();
    await board.page.locator('[data-act=new]').click();
    await board.page.locator('[name=seats][value=friend]').check({ force: true });
    for (const [selector, value] of Object.entries(fields)) {
      const field = board.page.locator(selector);
      if (value === '') await field.check({ force: true });
      else if ((await field.evaluate((node) => node.tagName)) === 'SELECT') await field.selectOption(value);
      else await field.fill(value);
    }
    await made('a new game against a friend');
    await board.page.locator('.newgame .primary').click();
    const links = [];
    for (const id of ['friendlink', 'watchlink']) links.push(await board.page.locator(`#${id}`).inputValue());
    assert.equal(await board.page.locator('.qr path').count(), 2);
    await made('the links');
    await board.page.keyboard.press('Escape');
    await board.page.locator('dialog').waitFor({ state: 'detached' });
    await made('the friend has not come');
    for (const link of links) {
      assert.ok(link.startsWith(`${server.url}#room=`), link);
      others.push(await Board.open(browser, server.url, { hash: new URL(link).hash, ...pages }));
    }
    const [friend, watcher] = others;
    await run({ own: board, friend, watcher, server: () => server, restart });
    for (const other of others) assert.deepEqual(other.errors, [], 'errors of another page');
  } finally {
    await board.page.goto('about:blank');
    for (const other of others) await other.context.close();
    await server.kill();
    rmSync(folder, { recursive: true });
  }
}

/** Waits until a page shows a stone on a point, or none, in any language. @param {Board} board @param {string} name */
export const sees = (board, name, isThere = true) =>
  board.until(([point, there]) => {
    const cells = [...document.querySelectorAll('[role=gridcell]')].map((cell) => cell.getAttribute('aria-label') ?? '');
    return cells.some((label) => label.startsWith(`${point}, `) && /\d/.test(label.slice(point.length)) === there);
  }, [name.toUpperCase(), isThere]);

/** Plays a move, and waits until all see it. @param {Board} board @param {string} name @param {Board[]} all */
export async function play(board, name, all) {
  await board.waitUntilFree();
  await board.click(name);
  for (const one of all) await sees(one, name);
}
