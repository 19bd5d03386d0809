/**
 * More requests than the service can answer: they begin at fixed times, whether or not earlier ones were answered, and
 * clients give up after a while. Compared with a load below the capacity.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { settle } from './support/ask-operator.ts';
import { startLoadedService } from './support/bench-service.ts';
import { meterCpu } from './support/cpu-meter.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { EVENTS_PER_BATCH, type SignedRequest } from './support/signed-batches.ts';
import { quantile } from './support/statistics.ts';

const CONNECTIONS = 200;
const GIVE_UP_MILLISECONDS = 5_000;
const LOW = 0.8;
const HIGH = 1.5;
/** Target: accepted events at overload, at least this share of the capacity. */
const LEFT_MIN = 0.85;

interface OpenLoad {
  readonly acceptedEvents: number;
  readonly acceptedPerSecond: number;
  readonly refused: number;
  readonly givenUp: number;
  readonly failed: number;
  readonly latencies: readonly number[];
  /** Microseconds of the service and PostgreSQL per accepted event. */
  readonly cpu: number;
}

export async function measureOverload({ seconds, connections, progress }: BenchOptions): Promise<Report> {
  const { service, next, calm, stop } = await startLoadedService(connections, 'live');
  await sendLoad({ url: service.url, next, connections, seconds });
  await calm();
  const closed = await sendLoad({ url: service.url, next, connections: CONNECTIONS, seconds });
  const capacity = (closed.events / closed.milliseconds) * 1_000;
  await calm();
  progress(`overload: ${Math.round(capacity)} events/s are accepted`);
  const loads: [name: string, load: OpenLoad][] = [];
  for (const share of [LOW, HIGH]) {
    const used = meterCpu(service);
    const load = await sendOpen(service.url, next, { seconds, eventsPerSecond: share * capacity });
    await settle(service);
    const { service: node, postgres } = used();
    const cpu = ((node + postgres) / load.acceptedEvents) * 1_000;
    loads.push([`at ${share * 100} % of the capacity`, { ...load, cpu }]);
    await calm();
  }
  await stop();
  return {
    benchmark: 'overload',
    figures: [
      { name: 'accepted from 200 connections, as fast as they are answered', value: capacity, unit: 'events/s' },
      ...loads.flatMap(([name, load]) => figuresOf(name, load)),
      {
        name: 'accepted at overload, share of the capacity',
        value: loads[1]![1].acceptedPerSecond / capacity,
        unit: '',
        atLeast: LEFT_MIN,
      },
    ],
    notes: [
      `Batches of ${EVENTS_PER_BATCH} over at most ${CONNECTIONS} connections for ${seconds} s; clients give up after ${GIVE_UP_MILLISECONDS / 1_000} s. The load is generated on the same cores.`,
    ],
  };
}

function figuresOf(name: string, { acceptedPerSecond, refused, givenUp, failed, latencies, cpu }: OpenLoad): Figure[] {
  return [
    { name: `${name}: accepted`, value: acceptedPerSecond, unit: 'events/s' },
    { name: `${name}: refused with 429 or 503`, value: refused, unit: 'requests' },
    {
      name: `${name}: no answer within ${GIVE_UP_MILLISECONDS / 1_000} s`,
      value: givenUp,
      unit: 'requests',
      atMost: 0,
    },
    { name: `${name}: failed otherwise`, value: failed, unit: 'requests', atMost: 0 },
    { name: `${name}: time of an answered request, median`, value: quantile(latencies, 0.5), unit: 'ms' },
    { name: `${name}: time of an answered request, longest`, value: Math.max(...latencies), unit: 'ms' },
    { name: `${name}: CPU per event`, value: cpu, unit: 'µs' },
  ];
}

/** A request that finds no free connection waits for one, and this counts as its time. */
async function sendOpen(
  url: string,
  next: () => SignedRequest,
  { seconds, eventsPerSecond }: { readonly seconds: number; readonly eventsPerSecond: number },
): Promise<Omit<OpenLoad, 'cpu'>> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  const counts = { accepted: 0, refused: 0, givenUp: 0, failed: 0 };
  const latencies: number[] = [];
  const sendOne = async (): Promise<void> => {
    const { headers, body } = next();
    const sent = elapsedMilliseconds();
    try {
      const answer = await pool.request({
        path: '/v1/usage-events/batch',
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(GIVE_UP_MILLISECONDS),
      });
      await answer.body.dump();
      if (answer.statusCode < 300) counts.accepted++;
      else if (answer.statusCode === 429 || answer.statusCode === 503) counts.refused++;
      else counts.failed++;
      latencies.push(elapsedMilliseconds() - sent);
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') counts.givenUp++;
      else counts.failed++;
    }
  };
  const started = elapsedMilliseconds();
  const interval = (EVENTS_PER_BATCH / eventsPerSecond) * 1_000;
  const requests: Promise<void>[] = [];
  for (let due = started; due < started + seconds * 1_000; due += interval) {
    const early = due - elapsedMilliseconds();
    if (early > 0) await pause(early);
    requests.push(sendOne());
  }
  await Promise.all(requests);
  const { accepted, ...others } = counts;
  const milliseconds = elapsedMilliseconds() - started;
  await pool.destroy();
  const acceptedEvents = accepted * EVENTS_PER_BATCH;
  return { ...others, acceptedEvents, acceptedPerSecond: (acceptedEvents / milliseconds) * 1_000, latencies };
}
