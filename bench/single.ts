/**
 * Rate at which single events are accepted durably, compared with raw inserts of one row each over the same number of
 * connections.
 */
import { randomBytes } from '#platform/random.ts';
import { now } from '#platform/clock.ts';
import { settle } from './support/ask-operator.ts';
import { meterCpu } from './support/cpu-meter.ts';
import { createOrganization } from './support/organization.ts';
import type { BenchOptions } from './support/options.ts';
import { openRawInserts } from './support/raw-insert.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { sign, type SignedRequest } from './support/signed-batches.ts';
import { startService } from './support/start-service.ts';
import { median, quantile, spread } from './support/statistics.ts';
import { usageEvent } from './workload/usage-event.ts';

const CONNECTIONS = 16;
const SECONDS_PER_SIDE = 8;
const WARMING_SECONDS = 3;

export async function measureSingle({ rounds, progress }: BenchOptions): Promise<Report> {
  // Lifts the limit of 5,000 requests per minute and key: this measures the cost of one request.
  const service = await startService({ settings: { INGEST_RATE_LIMIT: '100000000;w=60' } });
  const { ingestKeys } = await createOrganization(service, 'Single', { ingestKeys: 1 });
  const yardstick = await openRawInserts(service, CONNECTIONS, { eventsPerBatch: 1 });
  const next = signedEvents(ingestKeys[0] ?? '');
  const send = (seconds: number) =>
    sendLoad({ url: service.url, next, connections: CONNECTIONS, seconds, eventsPerRequest: 1 });
  await send(WARMING_SECONDS);
  const ours: number[] = [];
  const raw: number[] = [];
  const micros: number[] = [];
  const latencies: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await settle(service);
    const used = meterCpu(service);
    const sent = await send(SECONDS_PER_SIDE);
    const { service: node, postgres } = used();
    micros.push(((node + postgres) / sent.events) * 1_000);
    ours.push((sent.events / sent.milliseconds) * 1_000);
    latencies.push(...sent.latencies);
    await settle(service);
    raw.push((await yardstick.run(SECONDS_PER_SIDE)).rowsPerSecond);
    progress(
      `single ${round}/${rounds}: ${Math.round(ours.at(-1)!)} events/s, raw inserts ${Math.round(raw.at(-1)!)}, ${Math.round(micros.at(-1)!)} µs per event`,
    );
  }
  await yardstick.close();
  await service.stop();
  const ratios = ours.map((rate, round) => rate / raw[round]!);
  return {
    benchmark: 'single',
    figures: [
      { name: 'relative to the yardstick', value: median(ratios), unit: '', spread: spread(ratios) },
      { name: 'accepted', value: median(ours), unit: 'events/s', spread: spread(ours) },
      { name: 'raw inserts of one row', value: median(raw), unit: 'rows/s', spread: spread(raw) },
      { name: 'service and database', value: median(micros), unit: 'µs of CPU per event', spread: spread(micros) },
      { name: 'a request, median', value: median(latencies), unit: 'ms' },
      { name: 'a request, 99 %', value: quantile(latencies, 0.99), unit: 'ms' },
    ],
    notes: [
      `Signed events one by one from one key over ${CONNECTIONS} connections; the yardstick uses the same number.`,
      'Pricing and attribution run in the same process at the same time, and the load is generated on the same cores.',
    ],
  };
}

function signedEvents(apiKey: string): () => SignedRequest {
  const run = randomBytes(6).toString('hex');
  const before = now();
  let made = 0;
  return () => {
    const event = usageEvent(made, `${run}-${made++}`, before);
    return {
      ...sign(Buffer.from(JSON.stringify(event)), apiKey),
      path: '/v1/usage-events',
      accepted: /"event_id":/,
    };
  };
}
