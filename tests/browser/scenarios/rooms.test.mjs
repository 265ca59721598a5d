// Rooms: two people and people who look on play by links, each with a profile of their own. Reload, a killed server, undo by
// consent, rematch, an opening rule, clocks, and links that open nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS, LANGUAGES, cutOff, violationsInBothThemes, violationsOf } from '../lib/access.mjs';
import { Board } from '../lib/board.mjs';
import { BUTTONS, INPUTS, RULES, actsOf, isPoint, stonesAfter } from '../lib/openings.mjs';
import { play, sees, withRoom } from '../lib/room.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';

const PHONE = { viewport: { width: 390, height: 560 }, hasTouch: true, isMobile: true };
const skip = process.env.TENGEN_SITE ? 'a site has no rooms' : false;

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

for (const [rule, [variant, course]] of Object.entries(RULES)) {
  scenario(
    `two people follow the opening rule ${rule} in a room`,
    async (board, { browser }) => {
      /** What the server told last. @type {any} */
      let state;
      board.page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => {
        const reply = JSON.parse(String(payload));
        if (reply.type === 'room') state = reply;
      }));
      await withRoom(board, browser, { '#variant': variant, '#opening': rule }, async ({ own, friend, watcher }) => {
        const all = [own, friend, watcher];
        for (const [n, act] of actsOf(course).entries()) {
          while (state?.acts.length !== n) await board.nextFrame();
          const actor = state.decides === 1 ? own : friend;
          await actor.until(() => !/Your friend is to move/.test(document.getElementById('status').textContent));
          if (isPoint(act)) await actor.waitUntilFree();
          const { button, number, point } = INPUTS.keyboard;
          await (isPoint(act) ? point(actor, act) : BUTTONS[act] ? button(actor, BUTTONS[act]) : number(actor, act));
        }
        const stones = stonesAfter(rule, actsOf(course));
        for (const one of all) assert.deepEqual((await one.waitForStones(stones.length)).map((stone) => stone.split(' ')[0]), stones);
      });
    },
    { skip, bypassCSP: true },
  );
}

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

scenario(
  'the first visit by a link with the token offers a friend, a page without a clipboard copies the link, and a friend may only play',
  async (board, { browser }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tengen-rooms-'));
    const token = 'a-token-of-more-than-32-characters';
    writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
    const server = await startServer({ options: ['--rooms', join(folder, 'rooms'), '--workers', '1', '--token-file', join(folder, 'token')] });
    const { page } = board;
    let friend;
    try {
      // A page without HTTPS has none.
      await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await page.goto(`${server.url}#token=${token}`);
      await page.locator('.welcome [data-start=friend]').waitFor();
      assert.deepEqual(await lookAt(board, 'the start page'), []);
      for (const zoom of ['200%', '']) {
        await page.setViewportSize({ width: 320, height: 568 });
        await page.evaluate((size) => { document.documentElement.style.fontSize = size; }, zoom);
        for (const start of ['play', 'friend', 'puzzles', 'analyse', 'other']) await page.locator(`.welcome [data-start=${start}]`).tap({ trial: true });
      }
      await page.setViewportSize(PHONE.viewport);
      await page.locator('.welcome [data-start=friend]').tap();
      await page.locator('[name=seats][value=friend]:checked').waitFor({ state: 'attached' });
      assert.equal(await page.locator('#variant').inputValue(), 'gomokufreestyle');
      await page.locator('.newgame .primary').tap();
      const link = await page.locator('#friendlink').inputValue();
      await page.locator('.room .field button').first().tap();
      await page.locator('.room [role=status]', { hasText: 'Copied' }).waitFor();
      await page.locator('#watchlink').evaluate((field) => { field.readOnly = false; field.select(); });
      await page.keyboard.press('Control+V');
      assert.equal(await page.locator('#watchlink').inputValue(), link);
      await page.keyboard.press('Escape');
      friend = await Board.open(browser, server.url, { hash: new URL(link).hash, viewport: PHONE.viewport });
      await page.locator('#choices button', { hasText: 'Offer a draw' }).tap();
      // On a small phone the buttons come into the window.
      await friend.until(() => {
        const box = document.querySelector('#choices button')?.getBoundingClientRect();
        return box !== undefined && Boolean(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest('#choices button'));
      });
      await press(friend, /Decline/);
      await friend.mode('analyse');
      await friend.waitForStatus(/opens the game only/);
    } finally {
      await page.goto('about:blank');
      await friend?.context.close();
      await server.kill();
      rmSync(folder, { recursive: true });
    }
  },
  { skip, firstVisit: true, bypassCSP: true, ...PHONE },
);

/** Windows that each view is looked at in: width, height, size of the text. `npm run axe` looks for violations in all of them. */
const WINDOWS = [[1400, 900, 1], [320, 640, 1], [320, 640, 2]];

/** Looks for violations, cut texts and points of the board that forced colours hide. @param {Board} board @param {string} view */
async function lookAt({ page }, view) {
  const all = [];
  const isThorough = process.env.AXE === 'all';
  for (const [width, height, zoom] of WINDOWS) {
    await page.setViewportSize({ width, height });
    await page.evaluate((size) => { document.documentElement.style.fontSize = size; }, zoom === 1 ? '' : '200%');
    const where = `${view}, ${width} px, ${zoom * 100} %`;
    if (isThorough || width === 320 && zoom === 1) all.push(...(await violationsInBothThemes(page)).map((one) => `${where}: ${one}`));
    const { wide, cut } = await cutOff(page);
    if (wide > 0 || cut.length) all.push(`${where}: ${wide} px too wide; cut: ${cut}`);
    if (process.env.VIEWS) await page.screenshot({ path: `${process.env.VIEWS}/${where.replace(/\W+/g, '-')}.png` });
  }
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' });
  if (isThorough) all.push(...(await violationsOf(page, KINDS)).map((one) => `${view}, forced colours: ${one}`));
  if (process.env.VIEWS) await page.screenshot({ path: `${process.env.VIEWS}/${view.replace(/\W+/g, '-')}-forced.png` });
  await page.emulateMedia({ forcedColors: 'none' });
  await page.evaluate(() => { document.documentElement.style.fontSize = ''; });
  await page.setViewportSize({ width: 1400, height: 900 });
  return all;
}

/** Presses a button below the status, by its place, in any language. @param {Board} board @param {number} n @param {number} of how many there are */
async function choose(board, n, of) {
  await board.until((count) => document.querySelectorAll('#choices > button').length === count, of);
  await board.page.locator('#choices > button').nth(n).click();
}
const choices = (/** @type {Board} */ board, /** @type {number} */ count) => board.until((n) => document.querySelectorAll('#choices > button').length === n, count);

for (const language of LANGUAGES) {
  const settings = { storage: { 'tengen.settings': { language } }, bypassCSP: true };
  scenario(
    `20 axe finds nothing in a room, and no text is cut off, ${language}`,
    async (board, { browser }) => {
      const fields = { '#variant': 'gomokufreestyle', '#opening': 'swap2', '#clockkind': 'game', '#clockbase': '30', '#clockinc': '5' };
      const all = /** @type {string[]} */ ([]);
      const check = async (/** @type {Board} */ one, /** @type {string} */ view) => void all.push(...await lookAt(one, view));
      const made = (/** @type {string} */ view) => check(board, view);
      await withRoom(board, browser, fields, async ({ own, friend, watcher, server }) => {
        const people = [own, friend, watcher];
        await check(friend, 'the friend places the first stones');
        for (const name of ['h8', 'h9', 'j7']) await play(own, name, people);
        await choices(friend, 3);
        await check(friend, 'a choice of the opening');
        await check(own, 'the friend chooses');
        await check(watcher, 'a player chooses');
        await choose(friend, 0, 3);
        await choices(own, 1);
        await check(own, 'the own turn');
        await check(friend, 'the turn of the friend');
        await check(watcher, 'a game to look at');
        for (const [ask, view] of /** @type {const} */ ([[() => choose(own, 0, 1), 'a draw'], [() => own.page.locator('[data-act=undo]').first().click(), 'an undo']])) {
          await ask();
          await choices(friend, 2);
          await check(friend, `the friend offers ${view}`);
          await check(own, `you offer ${view}`);
          await choose(friend, 1, 2);
          await choices(own, 1);
        }
        await friend.page.goto('about:blank');
        await choices(own, 2);
        await check(own, 'the friend is away');
        await friend.page.goBack();
        await choices(own, 1);
        for (let n = 0; n < 2; n++) await friend.page.locator('[data-act=resign]').first().click();
        await own.page.locator('#ending').waitFor();
        await check(own, 'won');
        await friend.page.locator('#ending').waitFor();
        await check(friend, 'lost');
        await check(watcher, 'the end of a game to look at');
        await friend.page.locator('[data-act=again]').click();
        await choices(own, 2);
        await check(own, 'a rematch is offered');
        const other = await Board.open(browser, server().url, { hash: new URL(watcher.page.url()).hash, ...settings });
        try {
          await choices(other, 1);
          await check(other, 'too many people look on');
          await other.page.goto('about:blank');
          await other.page.goto(`${server().url}#room=AAAAAAAAAAAAAAAAAAAAAA`);
          await choices(other, 1);
          await check(other, 'a link without a room');
        } finally {
          await other.context.close();
        }
        await server().kill();
        await own.page.locator('#bannertext:not(:empty)').waitFor();
        await check(own, 'the server is gone');
      }, { limits: ['--limit', 'watchers=1'], pages: settings, made });
      assert.deepEqual(all, []);
    },
    { skip, ...settings },
  );
}
