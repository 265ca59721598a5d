// Rooms: two people and people who look on play by links, each with a profile of their own. Reload, a killed server, undo by
// consent, rematch, an opening rule, clocks, and links that open nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Board } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const skip = process.env.TENGEN_SITE ? 'a site has no rooms' : false;

/** The violations that axe finds. @param {Board} board */
async function violations(board) {
  await board.page.addScriptTag({ path: AXE });
  const found = await board.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(' ')}`);
}

/**
 * Makes a room with the fields of the dialog, and opens a page for the friend and for one who looks on.
 * @param {Board} board @param {any} browser @param {Record<string, string>} fields values by CSS selector; a radio button has ''
 * @param {(people: { own: Board, friend: Board, watcher: Board, restart: () => Promise<void> }) => Promise<void>} run
 */
async function withRoom(board, browser, fields, run) {
  const folder = mkdtempSync(join(tmpdir(), 'tengen-rooms-'));
  const options = ['--rooms', folder, '--workers', '1', '--hash', '16'];
  let server = await startServer({ options });
  const restart = async () => {
    await server.kill();
    server = await startServer({ port: server.port, options });
  };
  const others = [];
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
    await board.page.locator('.newgame .primary').click();
    const links = [];
    for (const id of ['friendlink', 'watchlink']) links.push(await board.page.locator(`#${id}`).inputValue());
    assert.deepEqual(await violations(board), [], 'the dialog of the links');
    assert.equal(await board.page.locator('.qr path').count(), 2);
    await board.page.keyboard.press('Escape');
    await board.waitForStatus(/has not come yet/);
    for (const link of links) {
      assert.ok(link.startsWith(`${server.url}#room=`), link);
      others.push(await Board.open(browser, server.url, { hash: new URL(link).hash, bypassCSP: true }));
    }
    const [friend, watcher] = others;
    await run({ own: board, friend, watcher, restart });
    for (const other of others) assert.deepEqual(other.errors, [], 'errors of another page');
  } finally {
    await board.page.goto('about:blank');
    for (const other of others) await other.context.close();
    await server.kill();
    rmSync(folder, { recursive: true });
  }
}

/** Waits until a page shows a stone on a point, or none. @param {Board} board @param {string} name */
const sees = (board, name, isThere = true) =>
  board.until(([point, there]) => {
    const cells = [...document.querySelectorAll('[role=gridcell]')].map((cell) => cell.getAttribute('aria-label') ?? '');
    return cells.some((label) => label.startsWith(`${point}, `) && /, (black|white)/i.test(label) === there);
  }, [name.toUpperCase(), isThere]);

/** Plays a move, and waits until all see it. @param {Board} board @param {string} name @param {Board[]} all */
async function play(board, name, all) {
  await board.waitUntilFree();
  await board.click(name);
  for (const one of all) await sees(one, name);
}

/** @param {Board} board @param {RegExp} words */
const press = (board, words) => board.page.locator('#choices button', { hasText: words }).click();

scenario(
  'two people play by a link, one looks on, both leave and the server is killed',
  async (board, { browser }) => {
    await withRoom(board, browser, { '#variant': 'gomokufreestyle' }, async ({ own, friend, watcher, restart }) => {
      const all = [own, friend, watcher];
      await own.waitForStatus(/Your turn/);
      await friend.waitForStatus(/Your friend is to move/);
      await play(own, 'h8', all);
      await play(friend, 'i9', all);
      assert.deepEqual(await violations(friend), [], 'the game against a friend');
      assert.equal(await watcher.page.locator('[data-act=resign]').first().isDisabled(), true);
      assert.equal(await friend.page.locator('[data-act=hint]').first().isDisabled(), true);
      // Both leave and come back, and the server ends meanwhile.
      await friend.reloadBy(() => friend.page.reload());
      await friend.connected();
      await sees(friend, 'i9');
      await restart();
      await own.connected();
      await play(own, 'j7', all);
      await own.reloadBy(() => own.page.reload());
      await own.connected();
      await sees(own, 'j7');
      await play(friend, 'k6', all);
      // Undo by consent: first declined, then agreed.
      await friend.page.locator('[data-act=undo]').first().click();
      await own.waitForStatus(/take a move back/);
      await press(own, /Decline/);
      await friend.waitForStatus(/Your friend is to move/);
      await friend.page.locator('[data-act=undo]').first().click();
      await own.waitForStatus(/take a move back/);
      await press(own, /Agree/);
      for (const one of all) await sees(one, 'k6', false);
      await play(friend, 'l5', all);
      // A draw is offered and declined; the friend resigns, and both want another game.
      await press(own, /Offer a draw/);
      await friend.waitForStatus(/offers a draw/);
      await press(friend, /Decline/);
      await friend.page.locator('[data-act=resign]').first().click();
      await friend.page.locator('[data-act=resign]').first().click();
      await own.waitForStatus(/You won/);
      await friend.waitForStatus(/You lost/);
      await own.page.locator('[data-act=again]').click();
      await friend.waitForStatus(/play again/);
      await press(friend, /Agree/);
      // The friend has the first side now.
      await friend.waitForStatus(/Your turn/);
      await play(friend, 'g7', all);
      await play(own, 'g8', all);
    });
  },
  { skip, bypassCSP: true },
);

scenario(
  'an opening rule is followed by two people, and a clock ends the game',
  async (board, { browser }) => {
    const fields = { '#variant': 'renju', '#opening': 'swap2', '#clockkind': 'game', '#clockbase': '0.35', '#clockinc': '0' };
    await withRoom(board, browser, fields, async ({ own, friend, watcher }) => {
      const all = [own, friend, watcher];
      await own.waitForStatus(/place|stone/i);
      for (const name of ['h8', 'h9', 'j7']) await play(own, name, all);
      await press(friend, /Take black/);
      // The friend has Black now, and White moves.
      await play(own, 'k8', all);
      assert.match(await friend.page.locator('#first b').textContent(), /You/);
      // The clock of the friend runs out on the server.
      await own.waitForStatus(/You won/);
      await friend.waitForStatus(/You lost/);
      await watcher.waitForStatus(/time/);
    });
  },
  { skip, bypassCSP: true },
);

scenario(
  'a link without a room says so',
  async (board) => {
    const folder = mkdtempSync(join(tmpdir(), 'tengen-rooms-'));
    const server = await startServer({ options: ['--rooms', folder, '--workers', '1'] });
    try {
      await board.page.goto(`${server.url}#room=AAAAAAAAAAAAAAAAAAAAAA`);
      await board.waitForStatus(/has ended, or the link is not complete/);
      // Nobody plays there.
      await board.click('h8');
      await sees(board, 'h8', false);
    } finally {
      await board.page.goto('about:blank');
      await server.kill();
      rmSync(folder, { recursive: true });
    }
  },
  { skip, bypassCSP: true },
);
