/** Duration and memory of an operator's `verify` over millions of events of one organization. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { openFilledOrganization } from './read/filled-organization.ts';
import { undoLater } from './support/cleanup.ts';
import type { BenchOptions } from './support/options.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Figure, Report } from './support/report.ts';

const SAMPLE_MILLISECONDS = 200;
const ROOT = fileURLToPath(new URL('../', import.meta.url));

export async function measureVerify({ events: sizes, progress }: BenchOptions): Promise<Report> {
  const organization = await openFilledOrganization({ progress });
  const { pid, dataDirectory, url } = organization.service;
  const settings = [`DATA_DIR=${dataDirectory}`, `ADMIN_URL=${url}`, 'LOG_LEVEL=error'];
  const figures: Figure[] = [];
  for (const events of [...sizes].sort((one, other) => one - other)) {
    await organization.growTo(events);
    progress(`verify: ${events.toLocaleString('en')} events`);
    const megabytes: number[] = [];
    const started = elapsedMilliseconds();
    // `env` replaces itself with Node, so its process is the command's.
    const command = spawn('env', [...settings, process.execPath, 'cli/admin/main.ts', 'verify', '--json'], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    undoLater(() => void command.kill());
    const sampling = setInterval(
      () => megabytes.push(Math.max(residentMegabytes(pid), residentMegabytes(command.pid ?? pid))),
      SAMPLE_MILLISECONDS,
    );
    const [code] = (await once(command, 'exit')) as [number | null];
    clearInterval(sampling);
    if (code !== 0) throw new Error(`verify ended with ${code}`);
    const seconds = (elapsedMilliseconds() - started) / 1_000;
    const named = (what: string) => `${what}, ${events.toLocaleString('en')} events`;
    figures.push(
      { name: named('seconds'), value: seconds, unit: 's' },
      { name: named('events per second'), value: events / seconds, unit: 'events/s' },
      { name: named('highest memory'), value: Math.max(...megabytes.filter(Number.isFinite)), unit: 'MB', atMost: 350 },
    );
  }
  await organization.stop();
  return {
    benchmark: 'verify',
    figures,
    notes: [
      'The whole command: compares every day of the ledger with facts and rollups, then runs every check of every subgraph. RSS of the service or of the command, whichever is larger.',
    ],
  };
}
