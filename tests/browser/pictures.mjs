// Makes the pictures of the manual: `npm run pictures`, or for one picture `npm run pictures -- ../../docs/board phone`.
// The engine finds the lines and values in them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Board, launch } from './lib/board.mjs';
import { startServer } from './lib/server.mjs';

const [folder = fileURLToPath(new URL('../../docs/board', import.meta.url)), ...wanted] = process.argv.slice(2);
const GAME = 'h8i9j7g8j9j8h10h7i10h11i6g10k8l9h5g4l7m6k7m7k5k6i5g5l4g6g7g2g3i4';
const SEARCH_MS = 8000;
/** A quick review gives the graph its values. */
const storage = { 'tengen.settings': { budget: 'quick', chances: true } };

/** For each picture: size, theme, link, and the steps to its state. */
const PICTURES = {
  play: { viewport: { width: 1400, height: 900 }, hash: `#v=renju&s=15&m=${GAME}`, reach: async (board) => {
    await reviewAndReturn(board);
    await board.mode('play');
    await board.page.locator('.picture .cross').first().waitFor();
    await board.hover('h3');
  } },
  'analysis-light': { viewport: { width: 1400, height: 900 }, hash: `#v=renju&s=15&m=${GAME}&at=24`, reach: analyse },
  'analysis-dark': { viewport: { width: 1400, height: 900 }, colorScheme: 'dark', hash: `#v=renju&s=15&m=${GAME}&at=24`, reach: async (board) => {
    await analyse(board);
    await board.page.locator('.lines tbody tr:nth-child(2)').hover();
    await board.page.locator('.preview').first().waitFor();
  } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, hash: '#v=gomoku&s=15&m=h8i9g9h7f8g8h10e7h11f7g7', reach: async (board) => {
    await board.tap('h9');
    await board.page.locator('.ghost').waitFor();
  } },
  'four-in-a-row': { viewport: { width: 1400, height: 900 }, hash: '#v=cfour&s=7x6&m=d1d2d3d4d5b1b2e1f1d6', reach: async (board) => {
    await board.mode('analyse');
    await board.until(() => document.querySelectorAll('.chips .chip.bad').length === 2);
    await board.hover('b3');
  } },
};

/** Reviews the game, so that the graph has values, then shows the move that was shown before. */
async function reviewAndReturn(board) {
  const at = board.page.locator('.mv[aria-current]');
  const shown = await at.textContent();
  await board.mode('review');
  await board.page.locator('.review progress').waitFor({ state: 'detached', timeout: 300_000 });
  await board.page.locator('.mv', { hasText: shown }).first().click();
}

async function analyse(board) {
  await reviewAndReturn(board);
  await board.mode('analyse');
  await board.page.locator('.lines tbody tr:nth-child(6)').waitFor();
  await board.until((ms) => { globalThis.begun ??= performance.now(); return performance.now() - globalThis.begun > ms; }, SEARCH_MS);
}

/** Returns a screenshot as WebP, which has a fifth of the size of PNG. @returns {Promise<Buffer>} */
async function picture(page) {
  const png = await page.screenshot();
  const text = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], { type: 'image/png' }));
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  }, png.toString('base64'));
  return Buffer.from(text, 'base64');
}

mkdirSync(folder, { recursive: true });
const [browser, server] = await Promise.all([launch(), startServer()]);
for (const [name, { reach, ...options }] of Object.entries(PICTURES)) {
  if (wanted.length && !wanted.includes(name)) continue;
  const board = await Board.open(browser, server.url, { storage, ...options });
  await reach(board);
  const file = `${folder}/${name}.webp`;
  writeFileSync(file, await picture(board.page));
  await board.close();
  console.log(file);
}
await browser.close();
await server.kill();
