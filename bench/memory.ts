/** Resident memory of the Node process under the load of `chain`: its size, and its growth. */
import { settle } from './support/ask-operator.ts';
import { createOrganization } from './support/organization.ts';
import type { BenchOptions } from './support/options.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { startService } from './support/start-service.ts';
import { signedBatches } from './support/signed-batches.ts';
import { slope } from './support/statistics.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';

const SAMPLE_MILLISECONDS = 500;
const KEYS = 4;
/** Before that, the heap settles to its size. */
const SETTLING_SHARE = 1 / 3;

export async function measureMemory({ seconds, connections, progress }: BenchOptions): Promise<Report> {
  const service = await startService();
  const idle = residentMegabytes(service.pid);
  const { ingestKeys } = await createOrganization(service, 'Memory', { ingestKeys: KEYS });
  const samples: (readonly [minute: number, megabytes: number])[] = [];
  const started = elapsedMilliseconds();
  const minutes = () => (elapsedMilliseconds() - started) / 60_000;
  const sampling = setInterval(() => samples.push([minutes(), residentMegabytes(service.pid)]), SAMPLE_MILLISECONDS);
  const { events } = await sendLoad({ url: service.url, next: signedBatches(ingestKeys), connections, seconds });
  await settle(service);
  clearInterval(sampling);
  progress(`memory: ${events} events, ${Math.round(samples.at(-1)?.[1] ?? 0)} MB`);
  await service.stop();

  const last = minutes();
  const late = samples.filter(([minute]) => minute > last * SETTLING_SHARE);
  return {
    benchmark: 'memory',
    figures: [
      { name: 'most', value: Math.max(...samples.map(([, megabytes]) => megabytes)), unit: 'MB', atMost: 350 },
      { name: 'before the load', value: idle, unit: 'MB' },
      { name: 'at the end', value: samples.at(-1)?.[1] ?? NaN, unit: 'MB' },
      { name: 'growth after the first third', value: slope(late), unit: 'MB a minute' },
    ],
    notes: [
      `${events} events in ${seconds} s as fast as they are answered, then until nothing waits. RSS of the Node process; PostgreSQL is apart.`,
    ],
  };
}
