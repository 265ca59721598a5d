// Drives Firefox by WebDriver BiDi. The browser speaks this protocol itself, so geckodriver, which
// Debian does not have, is not needed.
// CITE: https://w3c.github.io/webdriver-bidi/
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

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
    this.count = 0;
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
    const id = ++this.count;
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
}
