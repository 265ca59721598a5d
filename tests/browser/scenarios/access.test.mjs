// Scenarios 19 to 23: screen readers, axe, privacy, widths, motion.
import assert from 'node:assert/strict';
import { LANGUAGES, OTHERS, cutOff, violationsInBothThemes } from '../lib/access.mjs';
import { scenario } from '../lib/scenario.mjs';
import { WALKS } from '../lib/states.mjs';

const GAME = '#v=renju&s=15&m=g8a1i8a3h7a5h9a7';

scenario('19 screen readers find a grid of named cells, and one announcement a move', async (board) => {
  const { page } = board;
  assert.equal(await page.locator('[role=grid] [role=row]').count(), 15);
  const labels = await board.labels();
  assert.equal(labels.length, 225);
  assert.equal(new Set(labels).size, 225);
  const snapshot = await page.locator('body').ariaSnapshot();
  for (const part of [/banner/, /main/, /complementary/, /heading "Tengen" \[level=1\]/, /grid "Board"/, /gridcell "A15, empty"/]) assert.match(snapshot, part);
  await page.evaluate(() => {
    globalThis.said = [];
    new MutationObserver((changes) => globalThis.said.push(...changes.flatMap((change) => [...change.addedNodes].map((node) => node.textContent)))).observe(document.getElementById('say'), { childList: true, characterData: true, subtree: true });
  });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  const said = await page.evaluate(() => globalThis.said);
  assert.equal(said.length, 2, said.join(' / '));
  assert.match(said[0], /Black played H8/);
  assert.match(said[1], /White played/);
});

/** Dialogs: title, description, role and name of the element with the focus, and the way to open the dialog. */
const DIALOGS = {
  new: { title: 'New game', text: /in a row/, focus: ['combobox', 'Game'] },
  settings: { title: 'Settings', focus: ['combobox', 'Theme'] },
  language: { title: 'Language', focus: ['button', 'English'] },
  share: { title: 'Share and import', text: /^Paste or drop an SGF record/, focus: ['button', 'Link'] },
  keys: { title: 'Keys', text: /^The field "Cursor" takes points/, focus: ['dialog', 'Keys'] },
  more: { title: 'More', focus: ['button', 'Resign'] },
  edit: { title: 'Edit', focus: ['button', 'Rotate'], reach: async (page) => { await page.locator('.moves [data-act=more]').click(); await page.locator('dialog [data-more=edit]').click(); } },
  comment: { title: 'Comment: 2 I9', focus: ['textbox', 'Comment'], reach: async (page) => { await page.locator('.mv').nth(1).click({ button: 'right' }); await page.locator('.menu button', { hasText: 'Comment' }).click(); } },
};

scenario('19 a dialog gets the focus first, so that screen readers read its title and text, then its first field', async (board) => {
  const { page } = board;
  const session = await page.context().newCDPSession(page);
  await page.evaluate(() => {
    globalThis.focused = [];
    addEventListener('focusin', ({ target }) => { if (target.closest('dialog')) globalThis.focused.push(target.localName); }, true);
  });
  for (const [act, { title, text, focus: [role, name], reach }] of Object.entries(DIALOGS)) {
    await page.evaluate(() => { globalThis.focused.length = 0; });
    await (reach?.(page) ?? page.locator(`[data-act=${act}]:visible`).first().click());
    const dialog = page.getByRole('dialog', { name: title, exact: true });
    await (role === 'dialog' ? dialog : dialog.getByRole(role, { name, exact: true })).and(page.locator(':focus')).waitFor();
    const focused = await page.evaluate(() => globalThis.focused);
    assert.equal(focused.at(role === 'dialog' ? -1 : -2), 'dialog', `${act}: ${focused}`);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const at = nodes.find((node) => node.role?.value === 'dialog');
    assert.equal(at.name.value, title);
    assert.match(at.description?.value ?? '', text ?? /^$/, act);
    assert.equal(at.properties.find((property) => property.name === 'modal').value.value, true);
    if (act === 'keys') assert.match(await dialog.getByRole('table', { name: 'Keys' }).ariaSnapshot(), /rowheader "Shift\+F :"\s+- cell "forbidden points"/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
}, { hash: '#v=gomokufreestyle&s=15&m=h8i9j7' });

/** Registers a scenario that checks the states of a walk. @param {string} language @param {import('../lib/states.mjs').Walk} walk */
function checkWalk(language, { options, states }) {
  const names = Object.keys(states);
  scenario(`20 axe finds nothing, ${language}, light and dark: ${names.join('; ')}`, async (board) => {
    const all = [];
    for (const [name, reach] of Object.entries(states)) {
      await reach(board);
      all.push(...(await violationsInBothThemes(board.page)).map((violation) => `${name}: ${violation}`));
    }
    assert.deepEqual(all, []);
  }, { bypassCSP: true, storage: { 'tengen.settings': { language } }, ...options });
}

for (const language of LANGUAGES) for (const walk of WALKS) checkWalk(language, walk);
for (const language of OTHERS) for (const walk of WALKS.filter(({ short }) => short)) checkWalk(language, walk);

scenario('21 no violation of the policy, no request to another host', async (board) => {
  const { page } = board;
  const reports = [];
  await page.exposeFunction('violated', (text) => reports.push(text));
  await page.evaluate(() => addEventListener('securitypolicyviolation', (event) => globalThis.violated(`${event.violatedDirective} ${event.blockedURI}`)));
  for (const act of ['new', 'share', 'settings', 'language']) {
    await page.locator(`header [data-act=${act}]`).click();
    await page.locator('dialog').waitFor();
    await page.keyboard.press('Escape');
  }
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(2)').waitFor();
  await board.mode('review');
  assert.deepEqual(reports, []);
  const host = new URL(board.url).host;
  assert.deepEqual(board.requests.filter((url) => new URL(url).host !== host && !url.startsWith('blob:')), []);
}, { hash: GAME });

for (const language of ['en', 'ru']) {
  for (const [width, height, zoom] of [[320, 640, 1], [320, 640, 2], [390, 844, 1], [768, 1024, 1], [1400, 900, 1], [1280, 800, 2]]) {
    scenario(`22 nothing is cut off at ${width} px, text ${zoom * 100} %, ${language}`, async (board) => {
      const { page } = board;
      if (zoom > 1) await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
      const states = [async () => {}, async () => { await page.locator('[data-act=new]').first().click(); await page.locator('dialog').waitFor(); },
        async () => { await page.keyboard.press('Escape'); await page.locator('header [data-act=settings]').click(); await page.locator('dialog').waitFor(); },
        async () => {
          await page.keyboard.press('Escape');
          await page.locator('header [data-mode=analyse]').click();
          if (await page.locator('#tabs').isVisible()) await page.locator('#tab-analysis').click();
          await page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
          await page.evaluate(() => document.querySelector('.search button:has(.i-pause)')?.click());
        }];
      for (const [n, reach] of states.entries()) {
        await reach();
        const { wide, cut } = await cutOff(page);
        assert.ok(wide <= 0, `state ${n}: ${wide} px too wide`);
        assert.deepEqual(cut, [], `state ${n}`);
      }
    }, { viewport: { width, height }, hash: GAME, storage: { 'tengen.settings': { language } } });
  }
}

/** Phones: width, height, factor of the text size. */
const PHONES = [[320, 640, 1], [360, 780, 1], [390, 844, 1], [390, 664, 1], [412, 915, 1], [844, 390, 1], [667, 375, 1], [390, 844, 2], [320, 640, 2], [844, 390, 2]];

for (const [width, height, zoom] of PHONES) {
  scenario(`22 a phone of ${width} x ${height}, text ${zoom * 100} %: the tool bar covers no control after scrolling`, async (board) => {
    const { page } = board;
    if (zoom > 1) await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
    await board.tap('h9');
    await page.locator('#place').filter({ hasText: 'H9' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, 'px too wide');
    /** Whether a whole element is on the screen, and nothing covers it. */
    const isFree = (selector) => page.locator(selector).last().evaluate((node) => {
      const box = node.getBoundingClientRect();
      const corners = [[box.left + 3, box.top + 10], [box.right - 3, box.top + 10], [box.left + 3, box.bottom - 10], [box.right - 3, box.bottom - 10]];
      return corners.every(([x, y]) => node.contains(document.elementFromPoint(x, y)));
    });
    if (zoom === 1) for (const node of ['#place', '#unplace', '.bottom [data-act=more]']) assert.ok(await isFree(node), node);
    if (width === 390 && height === 844 && zoom === 1) assert.ok(await isFree('.mv'), 'the last move is covered');
    for (const node of ['.modes button', '.mv', '#connection']) {
      // In one step with the look: a list may be drawn again in between.
      await page.evaluate((selector) => [...document.querySelectorAll(selector)].at(-1).scrollIntoView({ block: 'center' }), node);
      assert.ok(await isFree(node), `${node} cannot be scrolled free`);
    }
  }, { viewport: { width, height }, hasTouch: true, isMobile: true, hash: '#v=gomoku&s=15&m=h8i9g9h7f8g8h10e7h11f7g7' });
}

/** Touch targets other than points. A check box is pressed by its label. */
const TARGETS = 'button, select, textarea, summary, [role=slider], .lines tbody tr, .check, .radios label, .file, input:not([type=checkbox], [type=radio], [type=file])';

/** Returns the touch targets that are too small, of the open dialog or of the page. @returns {Promise<string[]>} */
const tooSmall = (page) => page.evaluate((targets) => {
  const all = [...(document.querySelector('dialog:modal') ?? document).querySelectorAll(targets)].filter((node) => node.checkVisibility() && !node.closest('.cells'));
  const sizes = all.map((node) => ({ node, box: node.getBoundingClientRect() })).filter(({ box }) => box.width < 44 || box.height < 44);
  return sizes.map(({ node, box }) => `${node.localName} ${node.id || node.className || node.textContent}: ${box.width} x ${box.height}`);
}, TARGETS);

for (const [width, height] of [[390, 844], [844, 390], [700, 1000], [820, 1180]]) {
  scenario(`22 targets are 44 px on a touch screen of ${width} x ${height}`, async (board) => {
    const { page } = board;
    const narrow = width < 700 || height < 500;
    const check = async (state) => {
      assert.deepEqual(await tooSmall(page), [], state);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${state}: px too wide`);
    };
    const more = async (act) => {
      await page.locator('[data-act=more]:visible').first().tap();
      await page.locator(`dialog ${act}`).tap();
    };
    await page.locator('.mv').first().waitFor();
    await check('play');
    for (const act of ['new', 'more', 'share', 'language', 'settings', 'keys', 'edit']) {
      const button = page.locator(`[data-act=${act}]:visible`).first();
      if (await button.count()) await button.tap();
      else await more(`[data-more=${act}]`);
      await page.locator(`dialog.d-${act}`).waitFor();
      await check(act);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    await page.locator('header [data-mode=analyse]').tap();
    if (narrow) await page.locator('#tab-analysis').tap();
    await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
    await check('analyse');
    await board.mode('review');
    await page.locator('.mistakes li').first().waitFor();
    await page.locator('.review progress').waitFor({ state: 'detached' });
    await check('review');
    if (narrow) await page.locator('#tab-moves').tap();
    await page.locator('.mv').first().click({ button: 'right' });
    await page.locator('.menu').waitFor();
    await check('menu of a move');
  }, { viewport: { width, height }, hasTouch: true, isMobile: true, hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' });
}

scenario('23 with reduced motion no animation runs', async (board) => {
  await board.page.evaluate(() => {
    globalThis.ran = 0;
    for (const kind of ['animationstart', 'transitionstart']) addEventListener(kind, () => globalThis.ran++, true);
  });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  assert.equal(await board.page.evaluate(() => globalThis.ran + document.getAnimations().length), 0);
});
