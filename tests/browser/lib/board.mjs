// Drives the page for a test: opens it, clicks points, reads the board. Reads only what a user or a
// screen reader gets, never variables of the page.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** The folder for screenshots of failures. */
export const PICTURES = process.env.BOARD_PICTURES ?? fileURLToPath(new URL('../../../target/board', import.meta.url));

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Debian's builds of Chromium. The first one has no window and takes half the time. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? BROWSERS.find(existsSync), args: ARGUMENTS });

/** The build of Chromium that has a back/forward cache. */
export const WITH_CACHE = '/usr/bin/chromium';

/** Starts Chromium with the back/forward cache, which Playwright turns off. */
export const launchWithCache = () => chromium.launch({ executablePath: WITH_CACHE, args: ARGUMENTS, ignoreDefaultArgs: ['--disable-back-forward-cache'] });

/** Lengths in units of the picture: the margin without and with gravity, and the size of a cell. */
const MARGIN = 32;
const GRAVITY_MARGIN = 30;
const CELL = 40;

/** The service worker of a site would answer before the routes of a test. Its own tests are in `site/page.test.mjs`. */
const WORKERS = process.env.TENGEN_SITE ? { serviceWorkers: /** @type {const} */ ('block') } : {};

/** The timeout for an event, in ms. It is long, because a machine can be busy. */
const TIMEOUT = Number(process.env.BOARD_TIMEOUT ?? 25_000);

/** A page with the board, and the errors of the page. */
export class Board {
  /**
   * Creates a new profile.
   * @param {import('playwright-core').Browser} browser @param {import('playwright-core').BrowserContextOptions} [options]
   */
  static profile(browser, options) {
    return browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce', acceptDownloads: true, ...WORKERS, ...options });
  }

  /**
   * Opens the page in a new profile.
   * @param {import('playwright-core').Browser} browser @param {string} url
   * @param {import('playwright-core').BrowserContextOptions & OpenOptions} [options]
   */
  static async open(browser, url, { hash, storage, connects, firstVisit, ...options } = {}) {
    return Board.openIn(await Board.profile(browser, options), url, { hash, storage, connects, firstVisit });
  }

  /**
   * Opens the page in a new tab, without the stored data of earlier pages of the profile.
   * `firstVisit`: the page asks what the user wants.
   * @typedef {{ hash?: string, storage?: Record<string, unknown>, connects?: boolean, firstVisit?: boolean }} OpenOptions
   * @param {import('playwright-core').BrowserContext} context @param {string} url @param {OpenOptions} [options]
   */
  static async openIn(context, url, { hash = '', storage = {}, connects = true, firstVisit = false } = {}) {
    const board = new Board(context, await context.newPage(), url);
    await board.page.addInitScript(([entries, start]) => {
      if (location.protocol === 'about:') return;
      // The tab's session storage tells whether this is its first page.
      if (sessionStorage.getItem('opened') === null) localStorage.clear();
      sessionStorage.setItem('opened', 'yes');
      for (const [key, value] of Object.entries(entries)) if (localStorage.getItem(key) === null) localStorage.setItem(key, JSON.stringify(value));
      if (start) localStorage.setItem('tengen.start', localStorage.getItem('tengen.start') ?? start);
    }, /** @type {const} */ ([storage, firstVisit ? '' : 'play']));
    await board.page.goto(url + hash);
    if (connects) await board.connected();
    return board;
  }

  constructor(context, page, url) {
    this.context = context;
    this.page = page;
    this.url = url;
    page.setDefaultTimeout(TIMEOUT);
    this.errors = [];
    this.requests = [];
    page.on('pageerror', (error) => this.errors.push(error.stack ?? String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/WebSocket|ERR_CONNECTION/.test(message.text())) this.errors.push(message.text());
    });
    page.on('request', (request) => this.requests.push(request.url()));
  }

  connected() {
    return this.page.locator('#connection[data-state=open]').waitFor();
  }

  /** Waits until a function returns true in the page. It is called every 50 ms: once a frame is too often for a busy machine. */
  until(expression, argument) {
    return this.page.waitForFunction(expression, argument, { polling: 50 });
  }

  status() {
    return this.page.locator('#status').textContent();
  }

  /** Does what loads the page again, and waits until the new page is there. @param {() => Promise<void>} act */
  async reloadBy(act) {
    await Promise.all([this.page.waitForEvent('load'), act()]);
  }

  /** Leaves the board, which loads its parts for a while, and forgets its requests: those that follow are of the next page. */
  async leaveForRequests() {
    await this.page.goto('about:blank');
    this.requests.length = 0;
  }

  /** Waits for a text in the status. @param {RegExp} words */
  waitForStatus(words) {
    return this.page.locator('#status').filter({ hasText: words }).waitFor();
  }

  /** The place of a point on the screen, and the width of a cell. @param {string} name */
  async at(name) {
    const [c, r] = [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];
    return this.page.locator('.picture').evaluate((picture, { c, r, MARGIN, GRAVITY_MARGIN, CELL }) => {
      const box = picture.getBoundingClientRect();
      const [, , width, height] = picture.getAttribute('viewBox').split(' ').map(Number);
      const falls = picture.closest('.gravity') !== null;
      const margin = falls ? GRAVITY_MARGIN : MARGIN;
      const rows = Math.round((height - (falls ? GRAVITY_MARGIN + CELL : 2 * MARGIN)) / CELL) + 1;
      const scale = box.width / width;
      return { x: box.left + (margin + c * CELL) * scale, y: box.top + (margin + (rows - 1 - r) * CELL) * scale, cell: CELL * scale };
    }, { c, r, MARGIN, GRAVITY_MARGIN, CELL });
  }

  async click(name, options) {
    const { x, y } = await this.at(name);
    await this.page.mouse.click(x, y, options);
  }

  /** Waits for two frames: the page draws in the next frame, perhaps after this callback. */
  async nextFrame() {
    await this.page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => done())); }));
  }

  /** Waits until the board is drawn as one that takes a stone. */
  async waitUntilFree() {
    await this.page.locator('[role=gridcell]').first().waitFor();
    await this.nextFrame();
    await this.until(() => document.getElementById('board')?.classList.contains('locked') === false);
  }

  /** Clicks a point as soon as the board takes a stone. A click before the engine's answer would be refused. */
  async clickWhenFree(name) {
    await this.waitUntilFree();
    await this.click(name);
  }

  async hover(name) {
    const { x, y } = await this.at(name);
    await this.page.mouse.move(x, y);
  }

  async tap(name) {
    const { x, y } = await this.at(name);
    await this.page.touchscreen.tap(x, y);
  }

  /** The labels of all points, such as "H8, black, move 1, last". @returns {Promise<string[]>} */
  labels() {
    return this.page.locator('[role=gridcell]').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));
  }

  /** The moves in the order played, such as "h8 black". */
  async stones() {
    const stones = (await this.labels()).map((label) => /^(\w+), (.+), move (\d+)/.exec(label)).filter(Boolean);
    return stones.sort((a, b) => a[3] - b[3]).map(([, name, colour]) => `${name.toLowerCase()} ${colour.toLowerCase()}`);
  }

  /** Waits for a number of moves on the board and returns them. */
  async waitForStones(count) {
    await this.until((n) => [...document.querySelectorAll('[role=gridcell]')].filter((cell) => /, move \d+/.test(cell.getAttribute('aria-label') ?? '')).length === n, count);
    return this.stones();
  }

  /** Waits until the game begins with these moves. The engine may have played more. @param {string[]} moves such as "h8 black" */
  async waitForGameStart(moves) {
    await this.until((n) => [...document.querySelectorAll('[role=gridcell]')].filter((cell) => /, move \d+/.test(cell.getAttribute('aria-label') ?? '')).length >= n, moves.length);
    assert.deepEqual((await this.stones()).slice(0, moves.length), moves);
  }

  /** Waits until it is a user's turn, or the game is over. */
  async waitForTurn() {
    await this.until(() => /Your turn|Play anywhere|wins|drawn|to move/.test(document.getElementById('status')?.textContent ?? ''));
  }

  async mode(name) {
    await this.page.locator(`header [data-mode=${name}]`).click();
  }

  /** Starts a game with the dialog. @param {{ variant?: string, size?: number[], seats?: string, level?: number, opening?: string, clock?: [string, number, number?] }} options */
  async newGame({ variant, size, seats, level, opening, clock } = {}) {
    const { page } = this;
    await page.locator('[data-act=new]').click();
    const dialog = page.locator('dialog');
    if (variant) await dialog.locator('#variant').selectOption(variant);
    if (size) for (const [n, id] of ['width', 'height', 'connect'].entries()) if (size[n]) await dialog.locator(`#${id}`).fill(String(size[n]));
    if (seats) await dialog.locator(`[name=seats][value=${seats}]`).check({ force: true });
    if (level !== undefined && seats !== 'both') await dialog.locator('#level').fill(String(level));
    if (opening) await dialog.locator('#opening').selectOption(opening);
    if (clock) {
      await dialog.locator('#clockkind').selectOption(clock[0]);
      await dialog.locator('#clockbase').fill(String(clock[1]));
      if (clock[2] !== undefined) await dialog.locator('#clockinc').fill(String(clock[2]));
    }
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Saves a screenshot, to find the reason of a failure. */
  async picture(name) {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: `${PICTURES}/${name}.png` });
  }

  close() {
    return this.context.close();
  }

  /** Closes the pages. Returns whether another scenario can use the profile: a time that was set stays in it, with an empty `performance`. */
  async leave() {
    const isReal = await this.page.evaluate(() => /native code/.test(String(performance.mark))).catch(() => false);
    for (const page of this.context.pages()) await page.close();
    return isReal;
  }
}
