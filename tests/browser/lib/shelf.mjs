// A server with a shelf, for the scenarios of the explorer. The program needs the feature shelf.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, startServer } from './server.mjs';

const hasShelf = !process.env.TENGEN_SITE && spawnSync(PROGRAM, ['shelf', '--help']).status === 0;
export const skip = !hasShelf && 'skipped: the feature shelf of the program is absent';

export const EXPLORER = '#explorercard';

const GAMES = `
(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Olga]EV[Open]DT[2020-05]RE[B+];B[hh];W[ig];B[hi];W[hj])
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Anna]DT[2021]RE[W+];B[hh];W[gi]C[The teacher: <b>strong</b>](;B[hf];W[ii]C[a trap])(;B[ii]LB[jj:A]))
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Cleo]DT[2019]RE[0];B[hh];W[hg];B[ii])`;

/** Starts a server with a shelf of these games, and opens the board there. @param {import('./board.mjs').Board} board @param {(board: any, server: { url: string, shelf: string }) => Promise<void>} run @param {string[]} [options] of the server */
export async function withShelf(board, run, options = []) {
  const folder = mkdtempSync(join(tmpdir(), 'tengen-explorer-'));
  const [games, shelf] = ['games.sgf', 'my.shelf'].map((name) => join(folder, name));
  writeFileSync(games, GAMES);
  execFileSync(PROGRAM, ['shelf', 'import', games, '--shelf', shelf]);
  const server = await startServer({ options: ['--shelf', shelf, '--workers', '1', '--hash', '16', ...options] });
  try {
    await board.page.goto(`${server.url}#v=renju&s=15&m=h8i9`);
    await board.connected();
    await run(board, { url: server.url, shelf });
  } finally {
    await board.page.goto('about:blank');
    await server.kill();
    rmSync(folder, { recursive: true });
  }
}

/** Opens the explorer by the dialog More. */
export async function open({ page }) {
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator('dialog [data-more=explorer]').click();
  await page.locator(`${EXPLORER} table`).waitFor();
}
