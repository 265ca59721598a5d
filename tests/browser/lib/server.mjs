// The server under test: `tengen serve` on a free port of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));

/**
 * Starts a server and waits until it prints its address.
 * @param {{ port?: number, options?: string[] }} [options] port 0: any free port
 */
export async function startServer({ port = 0, options = [] } = {}) {
  const child = spawn(PROGRAM, ['serve', '--http', `127.0.0.1:${port}`, '--tcp', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = [];
  const address = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const found = /http:\/\/(127\.0\.0\.1:\d+)/.exec(line);
        if (found) resolve(found[1]);
      });
    }
    child.once('exit', (code) => reject(new Error(`tengen serve ended with ${code}: ${lines.join('\n')}`)));
  });
  return {
    url: `http://${address}/`,
    port: Number(address.split(':')[1]),
    /** Kills the server, as in a crash. */
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
