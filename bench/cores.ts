/**
 * CPU cost of an event when several processes share the work, compared with one process. Throughput scales with cores
 * as long as this cost stays the same.
 */
import { startLoadedService } from './support/bench-service.ts';
import { type CpuTime, meterCpu } from './support/cpu-meter.ts';
import { settle } from './support/ask-operator.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { untilRolledUp } from './support/rolled-up.ts';
import { sendLoad } from './support/send-load.ts';
import { median, spread } from './support/statistics.ts';
import { type Shape, SHAPES } from './workload/customer.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';

const PROCESSES = [1, 2, 4];
const WARM_SECONDS = 30;

interface Run {
  readonly eventsPerSecond: number;
  /** Microseconds per event. */
  readonly cpu: CpuTime;
}

export async function measureCores(options: BenchOptions): Promise<Report> {
  const figures: Figure[] = [];
  for (const shape of SHAPES) figures.push(...(await measureShape(shape, options)));
  return {
    benchmark: 'cores',
    figures,
    notes: [
      `${options.seconds} s of batches of 100 over ${options.connections} connections, measured until no event is pending, after ${WARM_SECONDS} s of warm-up with the same load. Runs take turns, each with a new database.`,
      'The CPU of the service includes its first process, which counts rate limits and distributes connections.',
    ],
  };
}

async function measureShape(
  shape: Shape,
  { rounds, seconds, connections, progress }: BenchOptions,
): Promise<readonly Figure[]> {
  const runs = new Map<number, Run[]>(PROCESSES.map((processes) => [processes, []]));
  for (let round = 1; round <= rounds; round++)
    for (const processes of PROCESSES) {
      const run = await runWith(processes, { shape, seconds, connections });
      runs.get(processes)?.push(run);
      progress(
        `cores, ${shape} ${round}/${rounds}: ${processes} process${processes === 1 ? '' : 'es'}, ${Math.round(run.eventsPerSecond)} events/s, ${Math.round(total(run))} µs`,
      );
    }
  const alone = runs.get(1)!;
  return PROCESSES.flatMap((processes): Figure[] => {
    const of = runs.get(processes)!;
    const ratios = of.map((run, round) => total(run) / total(alone[round]!));
    const name = `${shape}, ${processes} process${processes === 1 ? '' : 'es'}`;
    const comparison: Figure = {
      name: `${name}: CPU per event, relative to one process`,
      value: median(ratios),
      unit: '',
      spread: spread(ratios),
      atMost: 1.15,
    };
    return [
      ...(processes === 1 ? [] : [comparison]),
      { name: `${name}: CPU per event, Node`, value: median(of.map(({ cpu }) => cpu.service)), unit: 'µs' },
      { name: `${name}: CPU per event, PostgreSQL`, value: median(of.map(({ cpu }) => cpu.postgres)), unit: 'µs' },
      {
        name: `${name}: priced and attributed`,
        value: median(of.map(({ eventsPerSecond }) => eventsPerSecond)),
        unit: 'events/s',
      },
    ];
  });
}

const total = ({ cpu: { service, postgres } }: Run): number => service + postgres;

async function runWith(
  processes: number,
  { shape, seconds, connections }: { shape: Shape; seconds: number; connections: number },
): Promise<Run> {
  const { service, next, calm, stop } = await startLoadedService(connections, shape, {
    settings: { PROCESSES: String(processes) },
  });
  try {
    // Warm-up: each process spends seconds compiling its code, which is not a cost of sharing the work.
    await sendLoad({ url: service.url, next, connections, seconds: WARM_SECONDS });
    await settle(service);
    await calm();
    const used = meterCpu(service);
    const started = elapsedMilliseconds();
    const { events } = await sendLoad({ url: service.url, next, connections, seconds });
    await settle(service);
    const milliseconds = elapsedMilliseconds() - started;
    await untilRolledUp(service);
    const cpu = used();
    const ofEvent = (of: number) => (of / events) * 1000;
    return {
      eventsPerSecond: (events / milliseconds) * 1000,
      cpu: { service: ofEvent(cpu.service), postgres: ofEvent(cpu.postgres), sender: ofEvent(cpu.sender) },
    };
  } finally {
    await stop();
  }
}
