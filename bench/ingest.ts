/**
 * Rate at which signed batches are accepted durably, compared with raw inserts of the same rows: by itself, and with
 * pricing and attribution on the same cores.
 */
import { KEYS, startLoadedService } from './support/bench-service.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { median, quantile, spread } from './support/statistics.ts';

const SECONDS_PER_SIDE = 8;
const WARM_SECONDS = 10;

export async function measureIngest(options: BenchOptions): Promise<Report> {
  return {
    benchmark: 'ingest',
    figures: [
      ...(await measureAccepting('alone', options, { runsJobs: false, atLeast: 0.33 })),
      ...(await measureAccepting('with pricing and attribution', options, { runsJobs: true })),
    ],
    notes: [
      `Batches of 100 from ${KEYS} keys over ${options.connections} connections; the yardstick uses the same number. The load is generated on the same cores.`,
      'Alone: the whole service without its jobs, so that accepted events stay queued. Otherwise all jobs run in the same process at the same time.',
    ],
  };
}

async function measureAccepting(
  name: string,
  { rounds, connections, progress }: BenchOptions,
  { runsJobs, atLeast }: { readonly runsJobs: boolean; readonly atLeast?: number },
): Promise<Figure[]> {
  const { service, yardstick, next, calm, stop } = await startLoadedService(connections, 'live', { runsJobs });
  const send = (seconds: number) => sendLoad({ url: service.url, next, connections, seconds });
  // Warm-up: a service that has been running for a while has compiled its hot code.
  await send(WARM_SECONDS);
  const ours: number[] = [];
  const raw: number[] = [];
  const latencies: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await calm();
    const sent = await send(SECONDS_PER_SIDE);
    ours.push((sent.events / sent.milliseconds) * 1000);
    latencies.push(...sent.latencies);
    await calm();
    raw.push((await yardstick.run(SECONDS_PER_SIDE)).rowsPerSecond);
    progress(
      `ingest ${name} ${round}/${rounds}: ${Math.round(ours.at(-1) ?? 0)} events/s, raw inserts ${Math.round(raw.at(-1) ?? 0)}`,
    );
  }
  await stop();
  const ratios = ours.map((rate, round) => rate / (raw[round] ?? NaN));
  return [
    {
      name: `${name}: relative to the yardstick`,
      value: median(ratios),
      unit: '',
      spread: spread(ratios),
      ...(atLeast === undefined ? {} : { atLeast }),
    },
    { name: `${name}: accepted`, value: median(ours), unit: 'events/s', spread: spread(ours) },
    { name: `${name}: raw inserts`, value: median(raw), unit: 'rows/s', spread: spread(raw) },
    { name: `${name}: a batch, median`, value: median(latencies), unit: 'ms' },
    { name: `${name}: a batch, 99 %`, value: quantile(latencies, 0.99), unit: 'ms' },
  ];
}
