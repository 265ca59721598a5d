// Classes are visible without colour: greyscale, three kinds of colour-blindness, forced colours, more contrast.
import assert from 'node:assert/strict';
import { pictureOf, range, share } from '../lib/pixels.mjs';
import { scenario } from '../lib/scenario.mjs';

const GAME = '#v=renju&s=15&m=g8a1i8a3h7a5h9a7';
const BLIND = ['achromatopsia', 'protanopia', 'deuteranopia', 'tritanopia'];

/** Chances of a win in per mille: one line of each class, and two of the last class. */
const LINES = { c12: 800, e12: 740, g12: 600, i12: 300, k12: 290 };
const CLASSES = ['best', 'close', 'doubt', 'bad', 'bad'];

/** Answers every analysis with lines of all classes. @param {import('playwright-core').Page} page */
async function answerWithAllClasses(page) {
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => {
      const query = JSON.parse(String(text));
      if (!query.infinite) return server.send(text);
      const moves = Object.entries(LINES).map(([move, win], n) => ({ rank: n + 1, move, score: { cp: win - 500 }, bound: 'exact', wdl: [win, 0, 1000 - win], pv: [move] }));
      socket.send(JSON.stringify({ type: 'report', id: query.id, turn_number: 8, depth: 9, nodes: 1e6, nps: 1e6, time_ms: 1000, moves }));
    });
  });
  await page.reload();
}

/** Shows the board with a deficiency of vision. */
async function seeAs(board, type) {
  const session = await board.context.newCDPSession(board.page);
  await session.send('Emulation.setEmulatedVisionDeficiency', { type });
}

/** Adds CSS rules, which hide text and colours so that only shapes and patterns are left. */
const addRules = (page, rules) => page.evaluate((text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}, rules);

scenario(`20 stones differ in lightness: ${BLIND}`, async (board) => {
  for (const blind of BLIND) {
    await seeAs(board, blind);
    assert.ok(share(await pictureOf(board, 'g8'), await pictureOf(board, 'a1'), 80) > 0.4, `${blind}: a black stone looks like a white one`);
  }
}, { hash: GAME });

scenario(`20 classes of discs differ by their edges alone: ${BLIND}`, async (board) => {
  const { page } = board;
  await answerWithAllClasses(page);
  await board.connected();
  await board.mode('analyse');
  await page.locator('.disc').nth(4).waitFor();
  assert.deepEqual(await page.locator('.disc').evaluateAll((discs) => discs.map((disc) => disc.getAttribute('class'))), CLASSES.map((name) => `disc ${name}`));
  assert.deepEqual(await page.locator('.disc').allTextContents(), ['80', '74', '60', '30', '29']);
  await addRules(page, '.picture text { visibility: hidden } .fill { fill: #444 !important; fill-opacity: 1 !important } .outer { visibility: hidden }');
  for (const blind of BLIND) {
    await seeAs(board, blind);
    const discs = [];
    for (const point of Object.keys(LINES)) discs.push(await pictureOf(board, point));
    for (const [n, one] of discs.entries()) {
      for (const [m, two] of discs.entries()) {
        if (m <= n) continue;
        const differ = share(one, two, 40) > 0.015;
        assert.equal(differ, CLASSES[n] !== CLASSES[m], `${blind}, ${CLASSES[n]} and ${CLASSES[m]}: ${share(one, two, 40)}`);
      }
    }
  }
}, { hash: GAME });

scenario(`20 red and yellow discs differ by their signs alone: ${BLIND}`, async (board) => {
  await addRules(board.page, '.disk { fill: #888 !important } .sign { stroke: #fff !important } .lastdot, .lastring { visibility: hidden }');
  for (const blind of BLIND) {
    await seeAs(board, blind);
    const differ = share(await pictureOf(board, 'd1'), await pictureOf(board, 'd2'), 40);
    assert.ok(differ > 0.03, `${blind}: ${differ}`);
  }
}, { hash: '#v=cfour&s=7x6&m=d1d2a1' });

for (const colorScheme of ['light', 'dark']) {
  scenario(`20 forced colours, ${colorScheme}: stones, numbers, crosses and discs are visible`, async (board) => {
    const { page } = board;
    await answerWithAllClasses(page);
    await board.connected();
    await board.mode('analyse');
    await page.locator('.disc').nth(4).waitFor();
    await page.locator('.picture .cross').waitFor();
    const [black, white] = [await pictureOf(board, 'g8'), await pictureOf(board, 'a1')];
    const [cross, empty] = [await pictureOf(board, 'h8'), await pictureOf(board, 'k10')];
    for (const [name, picture] of Object.entries({ black, white, cross, empty })) assert.ok(range(picture) > 150, `${name}: lightness ranges over ${range(picture)}`);
    assert.ok(share(black, white, 100) > 0.3, 'a black stone looks like a white one');
    const lightness = async (point) => { const { light, width, height } = await pictureOf(board, point); return light[Math.floor(height * 0.25) * width + Math.floor(width / 2)]; };
    assert.ok(await lightness('i8') < 80 && await lightness('a3') > 180, `black ${await lightness('i8')}, white ${await lightness('a3')}: the colours of the stones stay`);
    assert.notEqual(await page.locator('.coords text').first().evaluate((text) => getComputedStyle(text).stroke), await page.locator('.coords text').first().evaluate((text) => getComputedStyle(text).fill), 'the edge of the coordinates is not drawn in their colour');
    assert.ok(share(cross, empty, 100) > 0.05, 'a forbidden point looks like an empty one');
    for (const point of Object.keys(LINES)) {
      const disc = await pictureOf(board, point);
      assert.ok(range(disc) > 150 && share(disc, empty, 100) > 0.1, `${point} is not visible`);
    }
  }, { hash: GAME, colorScheme, forcedColors: 'active', storage: { 'tengen.settings': { numbers: 'all' } } });

  scenario(`20 more contrast, ${colorScheme}: discs are opaque, no grain, borders as dark as text`, async (board) => {
    const { page } = board;
    await answerWithAllClasses(page);
    await board.connected();
    await board.mode('analyse');
    await page.locator('.disc').nth(4).waitFor();
    const style = (selector, name) => page.locator(selector).first().evaluate((node, property) => getComputedStyle(node).getPropertyValue(property), name);
    assert.equal(await style('.disc .fill', 'fill-opacity'), '1');
    assert.equal(await style('.grain', 'display'), 'none');
    assert.equal(await style('.card', 'border-top-color'), await style('body', 'color'));
    assert.equal(await style('header [data-act=new] ~ button, #entry', 'color'), await style('body', 'color'));
  }, { hash: GAME, colorScheme, contrast: 'more' });
}
