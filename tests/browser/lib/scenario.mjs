// A scenario: one test with its own page. It fails also if the page reports an error. A failure saves a screenshot.
// A scenario that fails is tried once more, and the first failure is printed: a busy machine can be too slow for a step.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Board, launch } from './board.mjs';
import { startServer } from './server.mjs';

/** The timeout of a scenario, in ms. It is long, because a machine can be busy. */
const TIMEOUT = Number(process.env.SCENARIO_TIMEOUT ?? 240_000);
/**
 * Options of the server. Searches of a closed page end soon. There are enough workers that no scenario
 * waits for the search of another one.
 */
const SERVER = ['--limit', 'resume_ms=1000', '--workers', '4', '--hash', '16'];

/** The browser and the server of all scenarios of this process. @type {Promise<[any, any]> | undefined} */
let started;
const start = () => (started ??= Promise.all([launch(), process.env.TENGEN_SITE ? startHost() : startServer({ options: SERVER })]));

/** Serves the site of `TENGEN_SITE` as a static host does. Its engine is in the page. */
async function startHost() {
  const { serveSite } = await import('../site/site.mjs');
  const { url, close } = await serveSite();
  return { url, kill: close };
}

after(async () => {
  const [browser, server] = (await started) ?? [];
  await browser?.close();
  await server?.kill();
});

/**
 * Unused profiles by their options. A profile that has loaded the page before opens it in half the time.
 * @type {Map<string, import('playwright-core').BrowserContext[]>}
 */
const profiles = new Map();

/** Registers a scenario: with the test runner, or in a list. */
let register = (name, options, run) => void test(name, options, run);

/** Returns a list to which files that are imported later add their scenarios, so that several can run in parallel. */
export function collect() {
  const all = [];
  register = (name, options, run) => void all.push({ name, options, run });
  return all;
}

/**
 * Registers a scenario. `run` gets a new page. `fresh`: uses a new profile; `skip`: the reason why the scenario cannot run here.
 * @param {string} name
 * @param {(board: Board, shared: { browser: any, server: any }) => Promise<void>} run
 * @param {Parameters<typeof Board.open>[2] & { fresh?: boolean, skip?: string | false }} [options]
 */
export function scenario(name, run, { hash, storage, connects, firstVisit, fresh = false, skip = false, ...options } = {}) {
  const kind = JSON.stringify(options);
  register(name, { timeout: TIMEOUT, skip }, async () => {
    const [browser, server] = await start();
    const unused = profiles.get(kind) ?? [];
    profiles.set(kind, unused);
    const attempt = async () => {
      const context = (fresh ? undefined : unused.pop()) ?? await Board.profile(browser, options);
      const board = await Board.openIn(context, server.url, { hash, storage, connects, firstVisit });
      try {
        await run(board, { browser, server });
        assert.deepEqual(board.errors, [], 'errors of the page');
      } catch (error) {
        await board.picture(name.replace(/[^\w]+/g, '-').slice(0, 60));
        throw error;
      } finally {
        if (await board.leave()) unused.push(context);
        else await context.close();
      }
    };
    await attempt().catch((error) => {
      console.log(`second try: ${name}: ${error.message}`);
      return attempt();
    });
  });
}
