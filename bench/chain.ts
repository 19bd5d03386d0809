/** How fast events go all the way, from the request to the breakdown, and how long one takes at half that load. */
import { settle } from './support/ask-operator.ts';
import { KEYS, type LoadedService, startLoadedService } from './support/bench-service.ts';
import { meterCpu } from './support/cpu-meter.ts';
import type { BenchOptions } from './support/options.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { median, quantile, spread } from './support/statistics.ts';
import { elapsedMilliseconds } from '../platform/clock.ts';
import { watchSentinels } from './support/sentinels.ts';

const YARDSTICK_SECONDS = 8;

interface Sustained {
  readonly eventsPerSecond: number;
  readonly settleSeconds: number;
  readonly nodeMicroseconds: number;
  readonly postgresMicroseconds: number;
}

export async function measureChain({ rounds, seconds, connections, progress }: BenchOptions): Promise<Report> {
  const loaded = await startLoadedService(connections);
  const raw: number[] = [];
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
  progress(`chain: ${Math.round(sustained.eventsPerSecond)} events/s all the way, raw inserts ${Math.round(median(raw))}`);

  await loaded.calm();
  const half = sustained.eventsPerSecond / 2;
  const visible = await watchUnderLoad(loaded, seconds, connections, half);
  await loaded.stop();
  const ratios = raw.map((rate) => sustained.eventsPerSecond / rate);
  return {
    benchmark: 'chain',
    figures: [
      { name: 'of the yardstick', value: median(ratios), unit: '', spread: spread(ratios), atLeast: 0.15 },
      { name: 'priced and attributed', value: sustained.eventsPerSecond, unit: 'events/s' },
      { name: 'raw inserts', value: median(raw), unit: 'rows/s', spread: spread(raw) },
      { name: 'left to settle after the load', value: sustained.settleSeconds, unit: 's' },
      { name: 'CPU of an event, service', value: sustained.nodeMicroseconds, unit: 'µs' },
      { name: 'CPU of an event, PostgreSQL', value: sustained.postgresMicroseconds, unit: 'µs' },
      { name: 'accepted to visible, median', value: median(visible), unit: 'ms' },
      { name: 'accepted to visible, 99 %', value: quantile(visible, 0.99), unit: 'ms', atMost: 250 },
    ],
    notes: [
      `${seconds} s of batches of 100 from ${KEYS} keys over ${connections} connections, as fast as they are answered, then until nothing waits.`,
      `Visible in by-model: ${visible.length} events, one after the other, under a load of ${Math.round(half)} events/s.`,
    ],
  };
}

async function sustain({ service, next }: LoadedService, seconds: number, connections: number): Promise<Sustained> {
  const used = meterCpu(service);
  const started = elapsedMilliseconds();
  const { events, milliseconds } = await sendLoad({ url: service.url, next, connections, seconds });
  await settle(service);
  const all = elapsedMilliseconds() - started;
  const { node, postgres } = used();
  return {
    eventsPerSecond: events / all * 1000,
    settleSeconds: (all - milliseconds) / 1000,
    nodeMicroseconds: node / events * 1000,
    postgresMicroseconds: postgres / events * 1000,
  };
}

/** Milliseconds from acceptance to visibility. */
async function watchUnderLoad({ service, organization, next }: LoadedService, seconds: number, connections: number, eventsPerSecond: number) {
  const sentinels = watchSentinels(service.url, organization);
  await sendLoad({ url: service.url, next, connections, seconds, eventsPerSecond });
  return sentinels.stop();
}
