/** Resident memory of the Node process under both loads of `chain`: its size, and its growth. */
import { settle } from './support/ask-operator.ts';
import { createOrganization } from './support/organization.ts';
import type { BenchOptions } from './support/options.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Figure, Report } from './support/report.ts';
import { untilRolledUp } from './support/rolled-up.ts';
import { sendLoad } from './support/send-load.ts';
import { startService } from './support/start-service.ts';
import { signedBatches } from './support/signed-batches.ts';
import { slope } from './support/statistics.ts';
import { type Shape, SHAPES } from './workload/customer.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';

const SAMPLE_MILLISECONDS = 500;
const KEYS = 4;
/** Share of the load that is not measured, because the heap is still growing to its usual size. */
const SETTLING_SHARE = 1 / 3;

export async function measureMemory(options: BenchOptions): Promise<Report> {
  const figures: Figure[] = [];
  for (const shape of SHAPES) figures.push(...(await measureShape(shape, options)));
  return {
    benchmark: 'memory',
    figures,
    notes: [
      `Each workload runs on its own service: ${options.seconds} s of events as fast as they are answered, measured until no event is pending. RSS of the Node process, without PostgreSQL.`,
    ],
  };
}

async function measureShape(shape: Shape, { seconds, connections, progress }: BenchOptions): Promise<Figure[]> {
  const service = await startService();
  const idle = residentMegabytes(service.pid);
  const { ingestKeys } = await createOrganization(service, 'Memory', { ingestKeys: KEYS });
  const samples: (readonly [minute: number, megabytes: number])[] = [];
  const started = elapsedMilliseconds();
  const minutes = () => (elapsedMilliseconds() - started) / 60_000;
  const sampling = setInterval(() => samples.push([minutes(), residentMegabytes(service.pid)]), SAMPLE_MILLISECONDS);
  const next = signedBatches(ingestKeys, { shape });
  const { events } = await sendLoad({ url: service.url, next, connections, seconds });
  await settle(service);
  await untilRolledUp(service);
  clearInterval(sampling);
  progress(`memory, ${shape}: ${events} events, ${Math.round(samples.at(-1)?.[1] ?? 0)} MB`);
  await service.stop();

  const last = minutes();
  const late = samples.filter(([minute]) => minute > last * SETTLING_SHARE);
  return [
    { name: `${shape}: most`, value: Math.max(...samples.map(([, megabytes]) => megabytes)), unit: 'MB', atMost: 350 },
    { name: `${shape}: at rest, before the load`, value: idle, unit: 'MB', atMost: 200 },
    { name: `${shape}: at the end`, value: samples.at(-1)?.[1] ?? NaN, unit: 'MB' },
    { name: `${shape}: growth after the first third`, value: slope(late), unit: 'MB per minute' },
  ];
}
