// A run of the arena with its page.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';
import { PROGRAM } from './server.mjs';

/** A name that would be markup if it were not escaped. */
export const HOSTILE = '<img src=x onerror=top.ran=1>';
/** The two engines of a run. @param {string} limit */
export const ENGINES = (limit) => ['-engine', `cmd=${PROGRAM}`, `name=${HOSTILE}`, '-engine', `cmd=${PROGRAM}`, 'name=B', '-each', limit];

/** Plays a short run in a folder. @param {string} folder */
export function play(folder) {
  const played = spawnSync(PROGRAM, ['arena', ...ENGINES('nodes=100'), '-variant', 'tictactoe', '-rounds', '2', '-out', 'run'], { cwd: folder, encoding: 'utf8' });
  assert.equal(played.status, 0, played.stderr);
}

/** Lengthens the journal of a run to this many games. @param {string} folder @param {number} count */
export function lengthen(folder, count) {
  const path = join(folder, 'run/journal.jsonl');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const [model] = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'game');
  delete model.crc;
  const more = Array.from({ length: count - 4 }, (_, n) => {
    const text = JSON.stringify({ ...model, id: n + 4 }).slice(0, -1);
    return `${text},"crc":"${crc32(text).toString(16).padStart(8, '0')}"}`;
  });
  writeFileSync(path, `${[...lines, ...more].join('\n')}\n`);
}

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
