/** Time until `npm start` can serve, on an empty and on a filled data directory. */
import { settle } from './support/ask-operator.ts';
import { temporaryDataDirectory } from './support/data-directory.ts';
import type { BenchOptions } from './support/options.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { startService } from './support/start-service.ts';
import { signedBatches } from './support/signed-batches.ts';
import { median, spread } from './support/statistics.ts';

const FILL_SECONDS = 5;
const FILL_CONNECTIONS = 4;

export async function measureStart({ rounds, progress }: BenchOptions): Promise<Report> {
  const empty: number[] = [];
  const filled: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const { path: dataDirectory, remove } = temporaryDataDirectory();
    const first = await startService({ dataDirectory, npmStart: true });
    empty.push(first.readyMilliseconds / 1000);
    await sendLoad({
      url: first.url,
      next: signedBatches([first.firstRun.live_ingest_key]),
      connections: FILL_CONNECTIONS,
      seconds: FILL_SECONDS,
    });
    await settle(first);
    await first.stop();
    const second = await startService({ dataDirectory, npmStart: true });
    filled.push(second.readyMilliseconds / 1000);
    await second.stop();
    await remove();
    progress(`start ${round}/${rounds}: empty ${empty.at(-1)?.toFixed(1)} s, filled ${filled.at(-1)?.toFixed(1)} s`);
  }
  return {
    benchmark: 'start',
    figures: [
      { name: 'empty data directory', value: median(empty), unit: 's', spread: spread(empty), atMost: 4 },
      { name: 'filled data directory', value: median(filled), unit: 's', spread: spread(filled), atMost: 2 },
    ],
    notes: ['From spawning `npm start` to the first 200 of /readyz, npm itself included.'],
  };
}
