// Scenarios 19 to 23: readers, axe, privacy, widths, motion.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { scenarios } from '../lib/scenario.mjs';

const scenario = scenarios();
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const GAME = '#v=renju&s=15&m=g8a1i8a3h7a5h9a7';

scenario('19 readers find a grid of named cells, and hear one sentence a move', async (board) => {
  const { page } = board;
  assert.equal(await page.locator('[role=grid] [role=row]').count(), 15);
  const labels = await board.labels();
  assert.equal(labels.length, 225);
  assert.equal(new Set(labels).size, 225);
  const snapshot = await page.locator('body').ariaSnapshot();
  for (const part of [/banner/, /main/, /complementary/, /heading "Tengen" \[level=1\]/, /grid "Board"/, /gridcell "A15, empty"/]) assert.match(snapshot, part);
  await page.evaluate(() => {
    globalThis.said = [];
    new MutationObserver(() => globalThis.said.push(document.getElementById('say').textContent)).observe(document.getElementById('say'), { childList: true, characterData: true, subtree: true });
  });
  await board.click('h8');
  await board.stonesAre(2);
  const said = await page.evaluate(() => globalThis.said);
  assert.equal(said.length, 2, said.join(' / '));
  assert.match(said[0], /Black played H8/);
  assert.match(said[1], /White played/);
});

/** The states that axe looks at, each reached from a fresh page. */
const STATES = {
  'first visit': async () => {},
  'a game with crosses': async (board) => { await board.page.locator('.picture .cross').waitFor(); },
  'the past of a game': async (board) => { await board.page.locator('.nav [data-act=back]').click(); },
  'a forbidden point told': async (board) => { await board.click('h8'); await board.page.locator('#status').filter({ hasText: /H8/ }).waitFor(); },
  analysis: async (board) => {
    await board.mode('analyse');
    await board.page.locator('.lines tbody tr:nth-child(3)').waitFor();
    await board.page.locator('.search button').click();
    await board.page.locator('.search button').filter({ has: board.page.locator('[href="#i-play"]') }).waitFor();
  },
  review: async (board) => { await board.mode('review'); await board.page.locator('.losses').waitFor(); },
  'dialog new': async (board) => { await board.page.locator('[data-act=new]').click(); await board.page.locator('dialog').waitFor(); },
  'dialog share': async (board) => { await board.page.locator('header [data-act=share]').click(); await board.page.locator('dialog').waitFor(); },
  'dialog settings': async (board) => { await board.page.locator('header [data-act=settings]').click(); await board.page.locator('dialog').waitFor(); },
  'dialog keys': async (board) => { await board.page.locator('.keysbutton').click(); await board.page.locator('dialog').waitFor(); },
  'dialog language': async (board) => { await board.page.locator('header [data-act=language]').click(); await board.page.locator('dialog').waitFor(); },
  'menu of a move': async (board) => { await board.page.locator('.mv').first().click({ button: 'right' }); await board.page.locator('.menu').waitFor(); },
};
/** States that are reached from another link, or with something done before. */
const OTHER_STATES = {
  'a game that is over': ['#v=tictactoe&s=3x3&m=a1b1a2b2a3', async (board) => { await board.statusIs(/wins/); }],
  'four in a row': ['#v=cfour&s=7x6&m=d1d2d3d4d5b1b2e1f1d6', async (board) => { await board.mode('analyse'); await board.until(() => document.querySelectorAll('.chips .chip').length === 7); await board.page.locator('.search button').click(); }],
  'a choice of swap2': ['', async (board) => { await board.newGame({ variant: 'gomokufreestyle', seats: 'second', level: 0, opening: 'swap2' }); await board.statusIs(/Take black, take white/); }],
  'setting up stones': [GAME, async (board) => {
    await board.page.locator('.moves [data-act=more]').click();
    await board.page.locator('dialog [data-more=edit]').click();
    await board.page.locator('dialog button', { hasText: 'Set up' }).click();
    await board.statusIs(/Press a point/);
  }],
};
/** English has every state in both themes. Colours do not depend on the language, so that each other language has one theme. */
const THEMES = { light: ['en', 'zh', 'vi'], dark: ['en', 'ja', 'ru'] };
const IN_ALL_LANGUAGES = new Set(['first visit', 'analysis', 'dialog new', 'dialog settings']);
test('20 the states that axe looks at', () => console.log(`${Object.keys({ ...STATES, ...OTHER_STATES }).join(', ')}; in all languages: ${[...IN_ALL_LANGUAGES].join(', ')}`));

/** What axe finds on the page as it is. @param {import('playwright-core').Page} page @returns {Promise<string[]>} */
async function faultsOf(page) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.any.map((check) => check.message)}`).slice(0, 3).join(' | ')}`);
  });
}

for (const [theme, languages] of Object.entries(THEMES)) {
  for (const language of languages) {
    scenario(`20 axe finds nothing, ${theme}, ${language}`, async (board) => {
      const all = [];
      const states = Object.entries(STATES).map(([state, reach]) => [state, state === 'first visit' ? '' : GAME, reach]);
      for (const [state, [hash, reach]] of Object.entries(OTHER_STATES)) states.push([state, hash, reach]);
      for (const [state, hash, reach] of states.filter(([name]) => language === 'en' || IN_ALL_LANGUAGES.has(name))) {
        await board.page.goto('about:blank');
        await board.page.goto(board.url + hash);
        await board.connected();
        await reach(board);
        const found = await faultsOf(board.page);
        all.push(...found.map((text) => `${state}: ${text}`));
      }
      assert.deepEqual(all, []);
    }, { colorScheme: theme, bypassCSP: true, storage: { 'tengen.settings': { language } } });
  }
}

/** States of a narrow page. */
const NARROW = {
  'a ghost stone to confirm': async (board) => { await board.tap('c3'); await board.page.locator('.ghost').waitFor(); },
  'the tab of chances': async (board) => { await board.page.locator('#tab-chances').tap(); },
  'the tab of the analysis': async (board) => { await board.page.locator('#tab-analysis').tap(); await board.page.locator('.lines tbody tr:nth-child(3)').waitFor(); },
  'the list of further actions': async (board) => { await board.page.locator('.bottom [data-act=more]').tap(); await board.page.locator('dialog').waitFor(); },
};
scenario(`20 axe finds nothing on a phone: ${Object.keys(NARROW).join(', ')}`, async (board) => {
  const all = [];
  for (const [state, reach] of Object.entries(NARROW)) {
    await reach(board);
    all.push(...(await faultsOf(board.page)).map((text) => `${state}: ${text}`));
  }
  assert.deepEqual(all, []);
}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, bypassCSP: true, hash: GAME });

scenario('20 axe finds nothing while the server is gone', async (board) => {
  await board.page.routeWebSocket(/\/v1\/ws/, (socket) => void socket.close());
  await board.page.reload();
  await board.page.locator('#bannertext').filter({ hasText: /gone/ }).waitFor();
  assert.deepEqual(await faultsOf(board.page), []);
}, { bypassCSP: true, hash: GAME });

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

/** Elements that stick out of the page or cut their text off. */
const cutOff = (page) => page.evaluate(() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const cut = [...document.querySelectorAll('button, h2, p, label, th, td, summary')].filter((node) => {
    if (!(node instanceof HTMLElement) || !node.offsetParent || node.closest('.sr, .pv, .cells') || node.matches('.pv')) return false;
    const style = getComputedStyle(node);
    return style.overflow !== 'visible' && style.position !== 'absolute' && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0;
  }).map((node) => node.textContent?.trim().slice(0, 40));
  return { wide, cut };
});

for (const language of ['en', 'ru']) {
  for (const [width, height, zoom] of [[320, 640, 1], [390, 844, 1], [768, 1024, 1], [1400, 900, 1], [1280, 800, 2]]) {
    scenario(`22 nothing is cut off at ${width} px, text ${zoom * 100} %, ${language}`, async (board) => {
      const { page } = board;
      if (zoom > 1) await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
      const states = [async () => {}, async () => { await page.locator('[data-act=new]').first().click(); await page.locator('dialog').waitFor(); },
        async () => { await page.keyboard.press('Escape'); await page.locator('header [data-act=settings]').click(); await page.locator('dialog').waitFor(); }];
      for (const [n, reach] of states.entries()) {
        await reach();
        const { wide, cut } = await cutOff(page);
        assert.ok(wide <= 0, `state ${n}: ${wide} px too wide`);
        assert.deepEqual(cut, [], `state ${n}`);
      }
    }, { viewport: { width, height }, hash: GAME, storage: { 'tengen.settings': { language } } });
  }
}

scenario('23 with reduced motion no animation runs', async (board) => {
  await board.page.evaluate(() => {
    globalThis.ran = 0;
    for (const kind of ['animationstart', 'transitionstart']) addEventListener(kind, () => globalThis.ran++, true);
  });
  await board.click('h8');
  await board.stonesAre(2);
  assert.equal(await board.page.evaluate(() => globalThis.ran + document.getAnimations().length), 0);
});
