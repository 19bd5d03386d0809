/** Takes backups of a service under load, one after the other, with `admin backup` as an operator does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOf } from './child-process.ts';
import { undoLater } from './cleanup.ts';
import type { Service } from './start-service.ts';

export interface RepeatedBackups {
  /**
   * Waits for the running backup. Returns the number of completed backups. If one failed, fails with the end of the
   * output of the first failure.
   */
  stop(): Promise<number>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUTPUT_CHARACTERS_MAX = 2_000;

export function repeatBackups({ dataDirectory }: Pick<Service, 'dataDirectory'>): RepeatedBackups {
  let isStopping = false;
  let taken = 0;
  const taking = takeAll();
  // `stop` reports a failure.
  taking.catch(() => {});
  return {
    async stop() {
      isStopping = true;
      await taking;
      return taken;
    },
  };

  async function takeAll(): Promise<void> {
    while (!isStopping) {
      await takeOne(dataDirectory);
      taken++;
    }
  }
}

async function takeOne(dataDirectory: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'books-bench-backup-'));
  const command = ['tools/with-node', 'node', 'cli/admin/main.ts', 'backup', folder];
  const child = spawn('env', [...environmentOf({ DATA_DIR: dataDirectory }), ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const undo = undoLater(() => {
    child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const [code] = (await once(child, 'close')) as [number | null];
  await undo();
  if (code !== 0) throw new Error(`A backup under load failed:\n${output}`);
}
