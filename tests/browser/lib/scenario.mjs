// A scenario: one test with a page of its own, a picture where it fails, and no fault in the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Board, launch } from './board.mjs';
import { startServer } from './server.mjs';

const LIMIT = 90_000;
/** A page that was closed leaves its searches soon, so that they do not slow the next scenario. */
const SHORT_RESUME = ['--limit', 'resume_ms=1000'];

/** One browser and one server for the scenarios of a file. */
export function scenarios() {
  const shared = {};
  before(async () => {
    [shared.browser, shared.server] = await Promise.all([launch(), startServer({ options: SHORT_RESUME })]);
  });
  after(async () => {
    await shared.browser?.close();
    await shared.server?.kill();
  });

  /**
   * @param {string} name
   * @param {(board: Board, shared: any) => Promise<void>} run
   * @param {Parameters<typeof Board.open>[2]} [options]
   */
  return (name, run, options) => test(name, { timeout: LIMIT }, async () => {
    const board = await Board.open(shared.browser, shared.server.url, options);
    try {
      await run(board, shared);
      assert.deepEqual(board.faults, [], 'faults of the page');
    } catch (error) {
      await board.picture(name.replace(/[^\w]+/g, '-').slice(0, 60));
      throw error;
    } finally {
      await board.close();
    }
  });
}
