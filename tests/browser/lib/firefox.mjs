// Drives Firefox by WebDriver BiDi. The browser speaks this protocol itself, so geckodriver, which
// Debian does not have, is not needed.
// CITE: https://w3c.github.io/webdriver-bidi/
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** An expression: the moves on the board in the order played, such as "h8 black". */
export const STONES = "[...document.querySelectorAll('[role=gridcell]')].map((cell) => /^(\\w+), (.+), move (\\d+)/.exec(cell.getAttribute('aria-label'))).filter(Boolean).sort((a, b) => a[3] - b[3]).map((part) => part[1].toLowerCase() + ' ' + part[2].toLowerCase())";

/** Starts Firefox with a new profile and opens one session. @param {Record<string, string | number | boolean>} [settings] of the profile */
export async function startFirefox(settings = {}) {
  const profile = await mkdtemp(join(tmpdir(), 'board-firefox-'));
  const lines = Object.entries(settings).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  await writeFile(join(profile, 'user.js'), lines.join(''));
  const child = spawn(process.env.FIREFOX ?? 'firefox-esr', ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile], { stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`Firefox ended with ${code}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await once(socket, 'open');
  const firefox = new Firefox(socket);
  await firefox.send('session.new', { capabilities: {} });
  const { contexts } = await firefox.send('browsingContext.getTree', {});
  firefox.context = contexts[0].context;
  firefox.pid = child.pid;
  firefox.close = async () => {
    socket.close();
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return firefox;
}

class Firefox {
  constructor(socket) {
    this.socket = socket;
    let last = 0;
    this.next = () => ++last;
    this.pending = new Map();
    socket.addEventListener('message', (event) => {
      const message = JSON.parse(event.data);
      const request = this.pending.get(message.id);
      if (!request) return;
      this.pending.delete(message.id);
      if (message.type === 'error') request.reject(new Error(`${message.error}: ${message.message}`));
      else request.resolve(message.result);
    });
  }

  send(method, params) {
    const id = this.next();
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  open(url) {
    return this.send('browsingContext.navigate', { context: this.context, url, wait: 'complete' });
  }

  setViewport(width, height) {
    return this.send('browsingContext.setViewport', { context: this.context, viewport: { width, height } });
  }

  /** Evaluates an expression in the page. A promise is awaited. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send('script.evaluate', { expression: `(async () => JSON.stringify(await (${expression})))()`, target: { context: this.context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value === undefined ? undefined : JSON.parse(result.value);
  }

  /** Waits until an expression is true in the page, and returns its value. It is evaluated once a frame. */
  until(expression) {
    return this.value(`new Promise((done, fail) => {
      const begin = performance.now();
      const look = () => {
        const value = ${expression};
        if (value) done(value);
        else if (performance.now() - begin > 25000) fail(new Error(${JSON.stringify(expression)}));
        else requestAnimationFrame(look);
      };
      look();
    })`);
  }

  /** Chooses files in a field. @param {string} selector @param {string[]} files */
  async setFiles(selector, files) {
    const { context } = this;
    const { nodes } = await this.send('browsingContext.locateNodes', { context, locator: { type: 'css', value: selector } });
    await this.send('input.setFiles', { context, element: { sharedId: nodes[0].sharedId }, files });
  }

  act(source) {
    return this.send('input.performActions', { context: this.context, actions: [source] });
  }

  click({ x, y }, pointerType = 'mouse') {
    const at = { x: Math.round(x), y: Math.round(y) };
    return this.act({ type: 'pointer', id: pointerType, parameters: { pointerType }, actions: [
      { type: 'pointerMove', ...at }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] });
  }

  move({ x, y }) {
    return this.act({ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [{ type: 'pointerMove', x: Math.round(x), y: Math.round(y) }] });
  }

  /** Presses and releases keys, one after another. */
  keys(...keys) {
    return this.act({ type: 'key', id: 'keyboard', actions: keys.flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]) });
  }

  /** Opens a window with a profile of its own in this browser. @returns {Promise<Firefox>} */
  async another() {
    const { userContext } = await this.send('browser.createUserContext', {});
    const { context } = await this.send('browsingContext.create', { type: 'window', userContext });
    return Object.assign(Object.create(this), { context });
  }

  // The board.

  /** The place of a point on the screen, and the width of a cell. @param {string} name */
  at(name) {
    return this.value(`(() => {
      const box = document.querySelector('[role=gridcell][aria-label^="${name.toUpperCase()},"]').getBoundingClientRect();
      const picture = document.querySelector('.picture');
      const frame = picture.getBoundingClientRect();
      const [, , width, height] = picture.getAttribute('viewBox').split(' ').map(Number);
      const scale = frame.width / width;
      const rows = document.querySelectorAll('[role=row]').length;
      return { x: frame.left + (32 + ${name.charCodeAt(0) - 97} * 40) * scale, y: frame.top + (32 + (rows - ${Number(name.slice(1))}) * 40) * scale, cell: box.width };
    })()`);
  }

  /** Waits for a number of moves on the board and returns them. @param {number} count */
  async waitForStones(count) {
    await this.until(`${STONES}.length === ${count}`);
    return this.value(STONES);
  }

  /** Clicks the middle of an element, when it has been in its place for a frame and nothing covers it. @param {string} selector */
  async press(selector) {
    const place = `(() => {
      const node = document.querySelector(${JSON.stringify(selector)});
      const box = node?.getBoundingClientRect();
      const at = box && { x: box.left + box.width / 2, y: box.top + box.height / 2 };
      const isStill = at && globalThis.placed?.x === at.x && globalThis.placed.y === at.y && node.contains(document.elementFromPoint(at.x, at.y));
      globalThis.placed = at;
      return isStill && at;
    })()`;
    await this.click(await this.until(place));
  }
}
