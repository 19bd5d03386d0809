/** How fast events go all the way, from the request to the breakdown, and how long one takes at half that load. */
import { settle } from './support/ask-operator.ts';
import { KEYS, type LoadedService, startLoadedService } from './support/bench-service.ts';
import { type CpuTime, meterCpu } from './support/cpu-meter.ts';
import type { BenchOptions } from './support/options.ts';
import { repeatBackups } from './support/repeated-backups.ts';
import type { RawRun } from './support/raw-insert.ts';
import type { Figure, Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { median, quantile, spread } from './support/statistics.ts';
import { elapsedMilliseconds } from '../platform/clock.ts';
import { watchSentinels } from './support/sentinels.ts';

const YARDSTICK_SECONDS = 8;

interface Sustained {
  readonly eventsPerSecond: number;
  readonly settleSeconds: number;
  /** Microseconds of an event. */
  readonly cpu: CpuTime;
}

export async function measureChain({
  rounds,
  seconds,
  connections,
  withBackup,
  progress,
}: BenchOptions): Promise<Report> {
  const loaded = await startLoadedService(connections);
  const raw: RawRun[] = [];
  const measureYardstick = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      await loaded.calm();
      raw.push(await loaded.yardstick.run(YARDSTICK_SECONDS));
    }
  };
  await measureYardstick(Math.ceil(rounds / 2));
  await loaded.calm();
  const sustained = await sustain(loaded, seconds, connections);
  await measureYardstick(Math.floor(rounds / 2));
  progress(
    `chain: ${Math.round(sustained.eventsPerSecond)} events/s all the way, raw inserts ${Math.round(median(raw.map(({ rowsPerSecond }) => rowsPerSecond)))}`,
  );

  await loaded.calm();
  const half = sustained.eventsPerSecond / 2;
  const visible = await watchUnderLoad(loaded, seconds, connections, half);
  const duringBackup = withBackup ? await watchDuringBackups(loaded, seconds, connections, half) : null;
  await loaded.stop();
  const rawRates = raw.map(({ rowsPerSecond }) => rowsPerSecond);
  const ratios = rawRates.map((rate) => sustained.eventsPerSecond / rate);
  const { service, postgres, sender } = sustained.cpu;
  const cpuRatios = raw.map(({ cpu }) => cpu / (service + postgres + sender));
  return {
    benchmark: 'chain',
    figures: [
      { name: 'of the yardstick', value: median(ratios), unit: '', spread: spread(ratios), atLeast: 0.15 },
      { name: 'of the yardstick, by CPU time', value: median(cpuRatios), unit: '', spread: spread(cpuRatios) },
      { name: 'priced and attributed', value: sustained.eventsPerSecond, unit: 'events/s' },
      { name: 'raw inserts', value: median(rawRates), unit: 'rows/s', spread: spread(rawRates) },
      { name: 'left to settle after the load', value: sustained.settleSeconds, unit: 's' },
      { name: 'CPU of an event, service', value: service, unit: 'µs' },
      { name: 'CPU of an event, PostgreSQL', value: postgres, unit: 'µs' },
      { name: 'CPU of an event, load', value: sender, unit: 'µs' },
      { name: 'CPU of a raw row', value: median(raw.map(({ cpu }) => cpu)), unit: 'µs' },
      { name: 'accepted to visible, median', value: median(visible), unit: 'ms' },
      { name: 'accepted to visible, 99 %', value: quantile(visible, 0.99), unit: 'ms', atMost: 250 },
      ...(duringBackup === null ? [] : visibilityOf(duringBackup)),
    ],
    notes: [
      `${seconds} s of batches of 100 from ${KEYS} keys over ${connections} connections, as fast as they are answered, then until nothing waits.`,
      `Visible in by-model: ${visible.length} events, one after the other, under a load of ${Math.round(half)} events/s.`,
    ],
  };
}

interface DuringBackups {
  readonly visible: readonly number[];
  readonly backups: number;
}

function visibilityOf({ visible, backups }: DuringBackups): Figure[] {
  return [
    { name: 'backups taken meanwhile', value: backups, unit: '', atLeast: 1 },
    { name: 'accepted to visible during them, median', value: median(visible), unit: 'ms' },
    { name: 'accepted to visible during them, 99 %', value: quantile(visible, 0.99), unit: 'ms', atMost: 250 },
  ];
}

async function watchDuringBackups(
  loaded: LoadedService,
  seconds: number,
  connections: number,
  eventsPerSecond: number,
): Promise<DuringBackups> {
  await loaded.calm();
  const backups = repeatBackups(loaded.service);
  const visible = await watchUnderLoad(loaded, seconds, connections, eventsPerSecond);
  return { visible, backups: await backups.stop() };
}

async function sustain({ service, next }: LoadedService, seconds: number, connections: number): Promise<Sustained> {
  const used = meterCpu(service);
  const started = elapsedMilliseconds();
  const { events, milliseconds } = await sendLoad({ url: service.url, next, connections, seconds });
  await settle(service);
  const all = elapsedMilliseconds() - started;
  const cpu = used();
  const ofEvent = (milliseconds: number) => (milliseconds / events) * 1000;
  return {
    eventsPerSecond: (events / all) * 1000,
    settleSeconds: (all - milliseconds) / 1000,
    cpu: { service: ofEvent(cpu.service), postgres: ofEvent(cpu.postgres), sender: ofEvent(cpu.sender) },
  };
}

/** Milliseconds from acceptance to visibility. */
async function watchUnderLoad(
  { service, organization, next }: LoadedService,
  seconds: number,
  connections: number,
  eventsPerSecond: number,
) {
  const sentinels = watchSentinels(service.url, organization);
  await sendLoad({ url: service.url, next, connections, seconds, eventsPerSecond });
  return sentinels.stop();
}
