/** How fast signed batches are accepted, durably, next to raw inserts of the same rows. */
import { KEYS, startLoadedService } from './support/bench-service.ts';
import type { BenchOptions } from './support/options.ts';
import type { RawRun } from './support/raw-insert.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { median, quantile, spread } from './support/statistics.ts';

const SECONDS_PER_SIDE = 8;

export async function measureIngest({ rounds, connections, progress }: BenchOptions): Promise<Report> {
  const { service, yardstick, next, calm, stop } = await startLoadedService(connections);
  const ours: number[] = [];
  const raw: RawRun[] = [];
  const latencies: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await calm();
    const sent = await sendLoad({ url: service.url, next, connections, seconds: SECONDS_PER_SIDE });
    ours.push((sent.events / sent.milliseconds) * 1000);
    latencies.push(...sent.latencies);
    await calm();
    raw.push(await yardstick.run(SECONDS_PER_SIDE));
    progress(
      `ingest ${round}/${rounds}: ${Math.round(ours.at(-1) ?? 0)} events/s, raw inserts ${Math.round(raw.at(-1)?.rowsPerSecond ?? 0)}`,
    );
  }
  await stop();
  const rawRates = raw.map(({ rowsPerSecond }) => rowsPerSecond);
  const ratios = ours.map((rate, round) => rate / (rawRates[round] ?? NaN));
  return {
    benchmark: 'ingest',
    figures: [
      { name: 'of the yardstick', value: median(ratios), unit: '', spread: spread(ratios), atLeast: 0.33 },
      { name: 'accepted', value: median(ours), unit: 'events/s', spread: spread(ours) },
      { name: 'raw inserts', value: median(rawRates), unit: 'rows/s', spread: spread(rawRates) },
      { name: 'a batch, median', value: median(latencies), unit: 'ms' },
      { name: 'a batch, 99 %', value: quantile(latencies, 0.99), unit: 'ms' },
    ],
    notes: [
      `Batches of 100 from ${KEYS} keys over ${connections} connections; the yardstick inserts over as many.`,
      'Pricing and attribution run in the same process at the same time, and the load is made on the same cores.',
    ],
  };
}
