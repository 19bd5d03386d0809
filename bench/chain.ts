/**
 * Sustained throughput from the request to the breakdown for both workloads, and the visibility latency of single events
 * at half of it, with and without backups.
 */
import { settle } from './support/ask-operator.ts';
import { KEYS, type LoadedService, startLoadedService } from './support/bench-service.ts';
import { type CpuTime, meterCpu } from './support/cpu-meter.ts';
import type { BenchOptions } from './support/options.ts';
import { repeatBackups } from './support/repeated-backups.ts';
import type { RawRun } from './support/raw-insert.ts';
import type { Figure, Report } from './support/report.ts';
import { untilRolledUp } from './support/rolled-up.ts';
import { sendLoad } from './support/send-load.ts';
import { median, quantile, spread } from './support/statistics.ts';
import { meterWal } from './support/wal-meter.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { watchSentinels } from './support/sentinels.ts';
import { type Shape, SHAPES } from './workload/customer.ts';

const YARDSTICK_SECONDS = 8;
const WARM_SECONDS = 20;
const HISTORY_OF_LIVE = 0.75;

interface Chain {
  readonly sustained: Sustained;
  readonly raw: readonly RawRun[];
  readonly watches: readonly Watch[];
}

interface Sustained {
  readonly eventsPerSecond: number;
  readonly settleSeconds: number;
  /** Microseconds per event. */
  readonly cpu: CpuTime;
  readonly walBytesPerEvent: number;
}

export async function measureChain(options: BenchOptions): Promise<Report> {
  const chains = new Map<Shape, Chain>();
  for (const shape of SHAPES) chains.set(shape, await measureShape(shape, options));
  const [live, history] = SHAPES.map((shape) => chains.get(shape)!.sustained);
  return {
    benchmark: 'chain',
    figures: [
      ...[...chains].flatMap(([shape, chain]) => figuresOf(shape, chain)),
      {
        name: 'history: events/s, relative to live',
        value: history!.eventsPerSecond / live!.eventsPerSecond,
        unit: '',
        atLeast: HISTORY_OF_LIVE,
      },
    ],
    notes: [
      `Each workload runs on its own service: ${options.seconds} s of batches of 100 from ${KEYS} keys over ${options.connections} connections, as fast as they are answered, after ${WARM_SECONDS} s of warm-up with the same load. Measured until no event is pending. CPU and WAL include the roll-up of pending days.`,
      ...[...chains].flatMap(([shape, { watches }]) =>
        watches.map(
          ({ name, visible, eventsPerSecond, backups }) =>
            `Visible in by-model, ${shape}, ${name}: ${visible.length} events, one after the other, under ${Math.round(eventsPerSecond)} events/s${backups === null ? '' : ` and ${backups} backups`}.`,
        ),
      ),
    ],
  };
}

async function measureShape(
  shape: Shape,
  { rounds, seconds, connections, withBackup, progress }: BenchOptions,
): Promise<Chain> {
  const loaded = await startLoadedService(connections, shape);
  const raw: RawRun[] = [];
  const measureYardstick = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      await loaded.calm();
      raw.push(await loaded.yardstick.run(YARDSTICK_SECONDS));
    }
  };
  // Warm-up: a service that has been running for a while has compiled its hot code.
  await sendLoad({ url: loaded.service.url, next: loaded.next, connections, seconds: WARM_SECONDS });
  await measureYardstick(Math.ceil(rounds / 2));
  await loaded.calm();
  const sustained = await sustain(loaded, seconds, connections);
  await measureYardstick(Math.floor(rounds / 2));
  progress(`chain, ${shape}: ${Math.round(sustained.eventsPerSecond)} events/s sustained`);

  const watches: Watch[] = [];
  for (const withBackups of withBackup ? [false, true] : [false])
    watches.push(
      await watch(loaded, { withBackups, seconds, connections, eventsPerSecond: sustained.eventsPerSecond / 2 }),
    );
  await loaded.stop();
  return { sustained, raw, watches };
}

function figuresOf(shape: Shape, { sustained, raw, watches }: Chain): Figure[] {
  const rawRates = raw.map(({ rowsPerSecond }) => rowsPerSecond);
  const ratios = rawRates.map((rate) => sustained.eventsPerSecond / rate);
  const { service, postgres, sender } = sustained.cpu;
  const cpuRatios = raw.map(({ cpu }) => cpu / (service + postgres + sender));
  const figures: Figure[] = [
    { name: 'relative to the yardstick', value: median(ratios), unit: '', spread: spread(ratios) },
    { name: 'relative to the yardstick, by CPU time', value: median(cpuRatios), unit: '', spread: spread(cpuRatios) },
    { name: 'priced and attributed', value: sustained.eventsPerSecond, unit: 'events/s' },
    { name: 'raw inserts', value: median(rawRates), unit: 'rows/s', spread: spread(rawRates) },
    { name: 'time to settle after the load', value: sustained.settleSeconds, unit: 's' },
    { name: 'CPU per event, service', value: service, unit: 'µs' },
    { name: 'CPU per event, PostgreSQL', value: postgres, unit: 'µs' },
    { name: 'CPU per event, load', value: sender, unit: 'µs' },
    { name: 'CPU per raw row', value: median(raw.map(({ cpu }) => cpu)), unit: 'µs' },
    { name: 'WAL per event', value: sustained.walBytesPerEvent, unit: 'bytes' },
    ...watches.flatMap(({ name, visible }): Figure[] => [
      { name: `time from accepted to visible ${name}, median`, value: median(visible), unit: 'ms' },
      { name: `time from accepted to visible ${name}, 99 %`, value: quantile(visible, 0.99), unit: 'ms', atMost: 250 },
    ]),
  ];
  return figures.map((figure) => ({ ...figure, name: `${shape}: ${figure.name}` }));
}

interface Watched {
  readonly withBackups: boolean;
  readonly seconds: number;
  readonly connections: number;
  readonly eventsPerSecond: number;
}

interface Watch {
  readonly name: string;
  /** Milliseconds from acceptance to visibility. */
  readonly visible: readonly number[];
  readonly eventsPerSecond: number;
  /** Number of backups completed while watching; null if none were requested. */
  readonly backups: number | null;
}

async function watch(
  loaded: LoadedService,
  { withBackups, seconds, connections, eventsPerSecond }: Watched,
): Promise<Watch> {
  await loaded.calm();
  const { service, organization, next } = loaded;
  const backups = withBackups ? repeatBackups(service) : null;
  const sentinels = watchSentinels(service.url, organization);
  await sendLoad({ url: service.url, next, connections, seconds, eventsPerSecond });
  const visible = await sentinels.stop();
  const name = `at half of the sustained load${withBackups ? ', during backups' : ''}`;
  return { name, visible, eventsPerSecond, backups: (await backups?.stop()) ?? null };
}

async function sustain({ service, next }: LoadedService, seconds: number, connections: number): Promise<Sustained> {
  const used = meterCpu(service);
  const written = await meterWal(service);
  const started = elapsedMilliseconds();
  const { events, milliseconds } = await sendLoad({ url: service.url, next, connections, seconds });
  await settle(service);
  const all = elapsedMilliseconds() - started;
  await untilRolledUp(service);
  const cpu = used();
  const ofEvent = (milliseconds: number) => (milliseconds / events) * 1000;
  return {
    eventsPerSecond: (events / all) * 1000,
    settleSeconds: (all - milliseconds) / 1000,
    cpu: { service: ofEvent(cpu.service), postgres: ofEvent(cpu.postgres), sender: ofEvent(cpu.sender) },
    walBytesPerEvent: (await written()) / events,
  };
}
