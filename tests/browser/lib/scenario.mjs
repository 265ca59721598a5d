// A scenario: one test with a page of its own, a picture where it fails, and no fault in the page.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Board, launch } from './board.mjs';
import { startServer } from './server.mjs';

/** The longest time of a scenario, in ms, on a machine with much else to do. */
const LIMIT = 240_000;
/**
 * Options of the server. A page that was closed leaves its searches soon. Several scenarios run at
 * once, and none waits for the search of another.
 */
const SERVER = ['--limit', 'resume_ms=1000', '--workers', '4', '--hash', '16'];

/** One browser and one server for the scenarios of a process. @type {Promise<[any, any]> | undefined} */
let started;
const start = () => (started ??= Promise.all([launch(), startServer({ options: SERVER })]));
after(async () => {
  const [browser, server] = (await started) ?? [];
  await browser?.close();
  await server?.kill();
});

/**
 * Profiles that no scenario uses now, by their options: a profile that has loaded the page before
 * opens it in half the time. @type {Map<string, import('playwright-core').BrowserContext[]>}
 */
const profiles = new Map();

/** Where scenarios go: to the test runner at once, or to a list. */
let take = (name, options, run) => void test(name, options, run);

/** Gathers the scenarios of the files that are imported from now on, for whoever runs several at once. */
export function collect() {
  const all = [];
  take = (name, options, run) => void all.push({ name, options, run });
  return all;
}

/**
 * A scenario on a page that is opened for it; `fresh`: in a profile that has never seen the page; `skip`: why it cannot run here.
 * @param {string} name
 * @param {(board: Board, shared: { browser: any, server: any }) => Promise<void>} run
 * @param {Parameters<typeof Board.open>[2] & { fresh?: boolean, skip?: string | false }} [options]
 */
export function scenario(name, run, { hash, storage, connects, fresh = false, skip = false, ...options } = {}) {
  const kind = JSON.stringify(options);
  take(name, { timeout: LIMIT, skip }, async () => {
    const [browser, server] = await start();
    const unused = profiles.get(kind) ?? [];
    profiles.set(kind, unused);
    const context = (fresh ? undefined : unused.pop()) ?? await Board.profile(browser, options);
    const board = await Board.openIn(context, server.url, { hash, storage, connects });
    try {
      await run(board, { browser, server });
      assert.deepEqual(board.faults, [], 'faults of the page');
    } catch (error) {
      await board.picture(name.replace(/[^\w]+/g, '-').slice(0, 60));
      throw error;
    } finally {
      await board.leave();
      unused.push(context);
    }
  });
}
