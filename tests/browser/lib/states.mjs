// The states of the page that axe checks. A walk is a list of states that follow one another on one
// page. States wait for elements, points and digits, never for words, so that each walk works in every
// language. `access.test.mjs` runs the walks.

import { serveAnotherVersion } from './sockets.mjs';

const GAME = '#v=renju&s=15&m=g8a1i8a3h7a5h9a7';
const PAIR = '#v=gomokufreestyle&s=15&m=h8i9j7';

const dialog = (board) => board.page.locator('dialog').waitFor();
const closed = async (board) => {
  await board.page.keyboard.press('Escape');
  await board.page.locator('dialog').waitFor({ state: 'detached' });
};
/** Opens a dialog by its button. */
const opens = (button) => async (board) => {
  await board.page.locator(button).first().click();
  await dialog(board);
};
/** Opens a dialog from the list of further actions. */
const further = async (board, act) => {
  await board.page.locator('.moves [data-act=more]').click();
  await board.page.locator(`dialog [data-more=${act}]`).click();
};
/** Answers queries of one action instead of the server. */
const answers = async (board, action, reply) => {
  await board.page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => {
      const query = JSON.parse(String(text));
      const own = query.action === action || (action === 'search' && (query.level !== undefined || query.infinite)) ? reply(query) : null;
      if (own) socket.send(JSON.stringify(own));
      else if (own === null) server.send(text);
    });
  });
  await board.page.reload();
};
/** Opens a puzzle by the dialog. */
const puzzle = async ({ page }, variant) => {
  await page.locator('#puzzlevariant').selectOption(variant);
  await page.locator('dialog button[type=submit]').click();
  await page.locator('#puzzle:not([hidden])').waitFor();
  await page.locator('dialog').waitFor({ state: 'detached' });
};
/** Waits for a number of stones. */
const stones = (board, count) => board.until((n) => document.querySelectorAll('.l-stones > .stone').length === n, count);
/** Waits for a number of acts in an opening, and for the step after them. The link holds the acts before the page draws them. */
const acts = async (board, count) => {
  await board.until((n) => location.hash.includes('&o=') && (/&o=([^&]+)/.exec(location.hash)?.[1].split('.').length ?? 0) === n + 1, count);
  await board.waitUntilFree();
};
const analysed = async (board) => {
  await board.mode('analyse');
  await board.page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
};
/** Stops the analysis, if it runs. */
export const stop = async (board) => {
  // A search that has ended has no Stop button.
  await board.page.evaluate(() => document.querySelector('.search button:has(.i-pause)')?.click());
  await board.page.locator('.search .i-play').waitFor();
};

/**
 * @typedef {object} Walk
 * @property {boolean} [short] `.ci/run` runs this walk in all languages, and other walks only in English
 * @property {Record<string, unknown>} [options] of the page
 * @property {Record<string, (board: import('./board.mjs').Board) => Promise<unknown>>} states
 */

/** @type {Walk[]} */
export const WALKS = [
  { short: true, options: { firstVisit: true }, states: {
    'the question of the first visit': async (board) => { await board.page.locator('.welcome [data-start=play]').waitFor(); },
    'phone: the question of the first visit': async (board) => { await board.page.setViewportSize({ width: 320, height: 640 }); },
  } },
  { short: true, states: {
    'first visit': async () => {},
    'the cursor on a point': async (board) => { await board.page.locator('[role=gridcell][tabindex="0"]').focus(); await board.page.keyboard.press('ArrowUp'); await board.page.locator('.cursorline').waitFor(); },
    'a typed point': async (board) => { await board.page.keyboard.type('h'); await board.until(() => /H/.test(document.getElementById('status')?.textContent ?? '')); },
    'dialog new game': async (board) => { await board.page.keyboard.press('Escape'); await opens('[data-act=new]')(board); },
    'dialog new game: a board of your own, with a clock': async (board) => { await board.page.locator('#variant').selectOption('custom'); await board.page.locator('#clockkind').selectOption('game'); },
    'dialog new game: a size that is refused': async (board) => { await board.page.locator('#width').fill('99'); await board.page.locator('#reason:not(:empty)').waitFor(); },
    'dialog settings': async (board) => { await closed(board); await opens('header [data-act=settings]')(board); },
    'dialog settings: the log is open': async (board) => { await board.page.locator('dialog summary').click(); },
    'dialog share': async (board) => { await closed(board); await opens('header [data-act=share]')(board); },
    'dialog share: a broken record': async (board) => { await board.page.locator('#import').fill('(;GM[4]SZ[15];B[zz])'); await board.page.locator('[data-load]').click(); await board.page.locator('#importfault:not(:empty)').waitFor(); },
    'dialog share: the clipboard is refused': async (board) => {
      await board.page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('refused')) } });
        document.execCommand = () => false;
      });
      await board.page.locator('dialog .choices button').first().click();
      await board.page.locator('.manual:not([hidden])').waitFor();
    },
    'dialog keys': async (board) => { await closed(board); await opens('.keysbutton')(board); },
    'dialog language': async (board) => { await closed(board); await opens('header [data-act=language]')(board); },
  } },
  { options: { hash: GAME }, states: {
    'a game with forbidden points': async (board) => { await board.page.locator('.picture .cross').waitFor(); },
    'a ghost stone under the mouse': async (board) => { await board.hover('c3'); await board.page.locator('.ghost').waitFor(); },
    'a forbidden point told': async (board) => { await board.clickWhenFree('h8'); await board.until(() => /H8/.test(document.getElementById('status')?.textContent ?? '')); },
    'a hint': async (board) => { await board.page.locator('.actions [data-act=hint]').click(); await board.page.locator('.hintring').waitFor(); },
    'the line of a hint': async (board) => { await board.page.locator('.actions [data-act=hint]').click(); await board.page.locator('.preview').first().waitFor(); },
    'the past of a game': async (board) => { await board.page.locator('.nav [data-act=back]').click(); },
    'resign asks': async (board) => { await board.page.locator('.nav [data-act=last]').click(); await board.page.locator('.actions [data-act=resign]').click(); },
    'dialog of further actions': opens('.moves [data-act=more]'),
    'dialog edit': async (board) => { await closed(board); await further(board, 'edit'); await board.page.locator('dialog.d-edit').waitFor(); },
    'stones are set up': async (board) => { await board.page.locator('dialog .choices button').nth(6).click(); await board.page.locator('#choices button').first().waitFor(); await board.click('c3'); },
  } },
  { options: { hash: PAIR }, states: {
    'an analysis runs': analysed,
    'an analysis is stopped': stop,
    'a line under the mouse': async (board) => { await board.page.locator('.lines tbody tr:nth-child(2)').hover(); await board.page.locator('.preview').first().waitFor(); },
    'a variation': async (board) => { await board.page.locator('.nav [data-act=back]').click(); await stones(board, 2); await board.clickWhenFree('c3'); await board.page.locator('.sideline').waitFor(); },
    'menu of a move': async (board) => { await board.page.locator('.sideline .mv').first().click({ button: 'right' }); await board.page.locator('.menu').waitFor(); },
    'dialog comment': async (board) => { await board.page.locator('.menu button').nth(1).click(); await dialog(board); },
    'menu of a point': async (board) => { await closed(board); await board.click('k10', { button: 'right' }); await board.page.locator('.menu').waitFor(); },
    'search without a move': async (board) => { await board.page.locator('.menu button').first().click(); await board.page.locator('.menu').waitFor({ state: 'detached' }); await board.page.locator('.lines tbody tr:nth-child(3) .pill').waitFor(); },
    'dialog settings over an analysis': opens('header [data-act=settings]'),
    'values as scores, numbers of the last five': async (board) => { await board.page.locator('#set-values').selectOption('score'); await board.page.locator('#set-numbers').selectOption('last5'); await closed(board); },
    'dialog play from here': opens('#replay button'),
    'dialog of the kept games': async (board) => { await closed(board); await further(board, 'games'); await board.page.locator('.games tbody tr').first().waitFor(); },
    'dialog of the open games': async (board) => { await closed(board); await board.page.locator('header [data-act=share]').click(); await board.page.locator('#import').fill('(;GM[4]SZ[15]PB[A];B[aa])(;GM[4]SZ[15]PB[B];B[hh])'); await board.page.locator('[data-load]').click(); await board.page.locator('.collection li').nth(1).waitFor(); },
    'points that are not searched': async (board) => { await closed(board); await stop(board); await board.click('a1', { button: 'right' }); await board.page.locator('.menu button').first().click(); await board.page.locator('.barred').nth(1).waitFor(); },
    'a comment beside the moves': async (board) => { await board.page.locator('.mv').first().click({ button: 'right' }); await board.page.locator('.menu button').nth(0).click(); await board.page.locator('#comment').fill('x'); await board.page.locator('dialog [type=submit]').click(); await board.page.locator('.mv').first().click(); await board.page.locator('#commentcard:not([hidden])').waitFor(); },
    'continuations of a record': async (board) => { await board.page.locator('header [data-act=share]').click(); await board.page.locator('#import').fill('(;GM[4]SZ[15]RU[freestyle];B[hh];W[hg](;B[ig];W[ih])(;B[jg]C[rare]))'); await board.page.locator('[data-load]').click(); await board.page.locator('.mv').first().click(); await board.page.locator('.continued li').first().waitFor(); await board.page.locator('.nav [data-act=forward]').click(); await board.page.locator('.continued li').nth(1).waitFor(); },
  } },
  { options: { hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' }, states: {
    'a review with mistakes': async (board) => { await board.mode('review'); await board.page.locator('.mistakes li').first().waitFor(); await board.page.locator('.review progress').waitFor({ state: 'detached' }); await board.page.locator('.mark').first().waitFor({ state: 'attached' }); },
    'a mistake is tried again': async (board) => { await board.page.locator('.mistakes li .link').nth(1).click(); await board.page.locator('#choices button').first().waitFor(); },
    'a blunder becomes a card': async (board) => { await board.page.locator('#learn-second').click(); await board.until(() => document.querySelectorAll('#choices button').length === 1); },
    'dialog of my mistakes': async (board) => { await board.page.locator('#choices button').click(); await board.page.locator('#mistakesstart').waitFor(); },
    'a card of my mistakes': async (board) => { await board.page.locator('#mistakesstart').click(); await board.page.locator('#mistaketext').waitFor(); },
    'a card answered': async (board) => { await board.clickWhenFree('c2'); await board.page.locator('[data-mistake=good]').waitFor(); },
    'a card that is not known': async (board) => { await board.page.locator('[data-mistake=good]').click(); await board.page.locator('[data-mistake=undo]').click(); await board.page.locator('[data-mistake=answer]').click(); await board.page.locator('[data-mistake=next]').waitFor(); },
    'dialog of repertoires': async (board) => { await further(board, 'repertoire'); await board.page.locator('#repertoireshown').click(); await board.page.locator('[data-repertoire]').waitFor(); },
    'a line of a repertoire': async (board) => { await board.page.locator('[data-repertoire]').click(); await stones(board, 0); await board.page.locator('[data-mistake=answer]').waitFor(); },
    'the answer of a repertoire': async (board) => { await board.page.locator('[data-mistake=answer]').click(); await board.page.locator('[data-mistake=next]').waitFor(); },
  } },
  { options: { hash: '#v=tictactoe&s=3x3&m=a1b1a2b2a3' }, states: {
    'a game that is over': async (board) => { await board.page.locator('.winline').waitFor({ state: 'attached' }); },
    'an analysis of a game that is over': async (board) => { await board.mode('analyse'); await board.page.locator('.lines tbody td').first().waitFor(); },
  } },
  { options: { hash: '#v=tictactoe&s=3x3&m=a1b1a2b2c1c2b3a3c3' }, states: { 'a drawn game': async (board) => { await board.until(() => document.querySelector('#ending:not([hidden])') !== null); } } },
  { options: { hash: '#v=cfour&s=7x6&m=d1d2d3d4d5b1b2e1f1d6' }, states: {
    'four in a row': async (board) => { await board.hover('b3'); await board.page.locator('.ghost').waitFor(); },
    'four in a row, solved': async (board) => { await board.mode('analyse'); await board.until(() => document.querySelectorAll('.chips .chip.bad').length === 2); },
  } },
  { states: {
    'swap2: stones to place': async (board) => { await board.newGame({ variant: 'gomokufreestyle', seats: 'first', level: 0, opening: 'swap2' }); await board.clickWhenFree('h8'); await stones(board, 1); },
    'swap2: a choice': async (board) => { await board.newGame({ variant: 'gomokufreestyle', seats: 'second', level: 0, opening: 'swap2' }); await board.page.locator('#choices button').nth(2).waitFor(); },
    'swap2: two more stones': async (board) => { await board.page.locator('#choices button').nth(2).click(); await board.clickWhenFree('a1'); await stones(board, 4); },
    'swap2: the choice is in the list': async (board) => { await board.clickWhenFree('o15'); await board.page.locator('.event').first().waitFor(); },
    'clocks, one of them low': async (board) => { await board.newGame({ variant: 'gomokufreestyle', seats: 'both', clock: ['move', 8] }); await board.page.locator('.players output.low').first().waitFor(); },
    'a fallen flag': async (board) => { await board.newGame({ variant: 'gomokufreestyle', seats: 'both', clock: ['move', 0.1] }); await board.page.locator('.players .won').waitFor(); },
  } },
  { states: {
    'opening: allowed points': async (board) => { await board.newGame({ variant: 'renju', seats: 'both', opening: 'yamaguchi' }); await board.page.locator('#board .chosen').waitFor(); await board.clickWhenFree('h8'); await acts(board, 1); },
    'opening: a number': async (board) => { await board.clickWhenFree('i9'); await acts(board, 2); await board.clickWhenFree('j8'); await board.page.locator('#choices input').waitFor(); },
    'opening: a choice of colours': async (board) => { await board.page.locator('#choices form button').click(); await board.page.locator('#choices > button').nth(1).waitFor(); },
    'opening: offered stones': async (board) => { await board.page.locator('#choices > button').nth(1).click(); await acts(board, 5); await board.clickWhenFree('a1'); await acts(board, 6); await board.clickWhenFree('b2'); await board.page.locator('#board .preview').waitFor(); },
    'opening: a point that is refused': async (board) => { const before = await board.status(); await board.clickWhenFree('b2'); await board.until((text) => document.getElementById('status')?.textContent !== text, before); },
  } },
  { states: { 'the engine thinks': async (board) => { await answers(board, 'search', () => undefined); await board.connected(); await board.clickWhenFree('h8'); await board.page.locator('#second.turn').waitFor(); await board.until(() => /\d/.test(document.getElementById('status')?.textContent ?? '')); },
    'a passing clock of the engine': async (board) => { await board.newGame({ variant: 'gomokufreestyle', seats: 'first', level: 10, clock: ['game', 10, 5] }); await board.clickWhenFree('h8'); await board.page.locator('#second.turn output:not([hidden])').waitFor(); } } },
  { states: { 'an error with an action': async (board) => { await answers(board, 'search', (query) => ({ type: 'error', id: query.id, code: 'overloaded', message: 'the server has 100 queries: at most 100' })); await board.connected(); await board.clickWhenFree('h8'); await board.page.locator('#choices button').first().waitFor(); } } },
  { options: { hash: PAIR }, states: { 'a refused move': async (board) => { await answers(board, 'position', (query) => (query.moves?.length > 3 ? { type: 'error', id: query.id, code: 'bad_move', message: 'c3: not allowed' } : null)); await board.connected(); await board.clickWhenFree('c3'); await stones(board, 3); await board.until(() => /C3/.test(document.getElementById('status')?.textContent ?? '')); } } },
  { options: { hash: PAIR }, states: { 'no line yet': async (board) => { await answers(board, 'search', () => undefined); await board.connected(); await board.mode('analyse'); await board.page.locator('.lines tbody td').first().waitFor(); } } },
  { options: { hash: '#v=renju&s=15&m=h8zz' }, states: { 'a broken link': async (board) => { await board.until(() => /zz?/.test(document.getElementById('status')?.textContent ?? '')); } } },
  { options: { hash: GAME }, states: {
    'the page connects': async (board) => { await board.page.routeWebSocket(/\/v1\/ws/, () => {}); await board.page.reload(); await board.page.locator('#connection[data-state=connecting]').waitFor(); },
    'the server is gone': async (board) => { await board.page.routeWebSocket(/\/v1\/ws/, (socket) => void socket.close()); await board.page.reload(); await board.page.locator('#bannertext:not(:empty)').waitFor(); },
    'a token is wanted': async (board) => {
      await board.page.routeWebSocket(/\/v1\/ws/, (socket) => socket.onMessage((text) => socket.send(JSON.stringify({ type: 'error', id: JSON.parse(String(text)).id, code: 'unauthorized', message: 'a token is wanted' }))));
      await board.page.reload();
      await dialog(board);
    },
    'the server has another version': async (board) => {
      await serveAnotherVersion(board.page);
      await board.page.reload();
      await board.until(() => document.querySelector('#banner:not([hidden])') !== null && document.querySelector('#connection[data-state=open]') !== null);
    },
  } },
  { options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, hash: GAME }, states: {
    'phone: a point to tap': async () => {},
    'phone: a ghost stone to confirm': async (board) => { await board.tap('c3'); await board.page.locator('.ghost').waitFor(); },
    'phone: the tab of the analysis': async (board) => { await board.mode('analyse'); await board.page.locator('#tab-analysis').tap(); await board.page.locator('.lines tbody tr:nth-child(3) .pill').waitFor(); },
    'phone: the tab of chances': async (board) => { await board.page.locator('.bottom [data-act=back]').tap(); await board.page.locator('#tab-chances').tap(); await board.page.locator('#graph .area').waitFor(); },
    'phone: the list of further actions': async (board) => { await board.page.locator('.bottom [data-act=more]').tap(); await dialog(board); },
  } },
  { states: {
    'dialog puzzles': async (board) => { await further(board, 'puzzles'); await dialog(board); },
    'a puzzle': (board) => puzzle(board, 'gomokufreestyle'),
    'the solution of a puzzle': async (board) => { await board.page.locator('[data-puzzle=solution]').click(); await board.page.locator('.sideline').first().waitFor(); },
    'the embedded board': async (board) => { await board.page.goto(`${board.url}embed.html${GAME}`); await stones(board, 8); },
  } },
  { options: { hash: '#v=gomokufreestyle&s=15&m=h8a1i8a2j8' }, states: {
    'what the opponent threatens': async (board) => { await board.page.locator('[role=gridcell][tabindex="0"]').focus(); await board.page.keyboard.press('Shift+T'); await board.page.locator('#board .preview, #choices button').first().waitFor(); },
  } },
  { options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, states: {
    'phone: dialog puzzles': async (board) => { await board.page.locator('.bottom [data-act=more]').tap(); await board.page.locator('dialog [data-more=puzzles]').tap(); await board.page.locator('#puzzlevariant').waitFor(); },
    'phone: a puzzle': (board) => puzzle(board, 'cfour'),
    'phone: a review with mistakes': async (board) => { await board.page.goto(`${board.url}#v=tictactoe&s=3x3&m=b2a1a2b3`); await board.page.reload(); await stones(board, 4); await board.mode('review'); await board.page.locator('#tab-analysis').tap(); await board.page.locator('.mistakes li').first().waitFor(); await board.page.locator('.review progress').waitFor({ state: 'detached' }); },
    'phone: a game that is over': async (board) => { await board.page.goto(`${board.url}#v=tictactoe&s=3x3&m=a1b1a2b2a3`); await board.page.reload(); await board.page.locator('#ending').waitFor(); },
  } },
  { options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, hash: '#v=gomokufreestyle&s=20&m=a1b1' }, states: {
    'phone: arrows and the magnifier': async (board) => { await board.tap('h8'); await board.page.locator('#nudges:not([hidden])').waitFor(); },
    'phone: an enlarged board': async (board) => { await board.page.locator('#zoom').tap(); await board.page.locator('.zoomed').waitFor(); },
  } },
];
