// A run of the arena with its page.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { PROGRAM } from './server.mjs';

/** Starts the arena and waits until it says where its page is. @param {string} cwd @param {string[]} words */
export async function startPage(cwd, words) {
  const child = spawn(PROGRAM, ['arena', ...words], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const found = /the run is shown at (http:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`the arena ended with ${code}: ${lines.join('\n')}`)));
  });
  return { url, pid: child.pid, end: () => child.kill('SIGKILL') };
}
