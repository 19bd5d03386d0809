/**
 * Visibility of one organization's events while another one imports history as fast as the service accepts it, compared
 * with the same organization alone.
 */
import { settle } from './support/ask-operator.ts';
import { KEYS } from './support/bench-service.ts';
import type { BenchOptions } from './support/options.ts';
import { createOrganization } from './support/organization.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { watchSentinels } from './support/sentinels.ts';
import { EVENTS_PER_BATCH, signedBatches } from './support/signed-batches.ts';
import { startService } from './support/start-service.ts';
import { median, quantile } from './support/statistics.ts';

const IMPORTED_EVENTS = 300_000;
const EVENTS_PER_SECOND = 20;
const TIMES_MAX = 3;
const MILLISECONDS_MAX = 500;

export async function measureNeighbour({ seconds, connections, progress }: BenchOptions): Promise<Report> {
  const service = await startService();
  const { url } = service;
  const importer = await createOrganization(service, 'Importer', { ingestKeys: KEYS });
  const neighbour = await createOrganization(service, 'Neighbour');
  const next = signedBatches(neighbour.ingestKeys, { events: 1 });

  /** Milliseconds until single events of the neighbour are visible while `during` runs. */
  const watch = async (during: () => Promise<unknown>): Promise<readonly number[]> => {
    const ended = new AbortController();
    const live = { url, next, connections: 1, eventsPerRequest: 1, eventsPerSecond: EVENTS_PER_SECOND };
    const sending = sendLoad({ ...live, seconds: Infinity, signal: ended.signal });
    const sentinels = watchSentinels(url, neighbour);
    await during().finally(() => ended.abort());
    await sending;
    return sentinels.stop();
  };
  // Warm-up: a service that has been running for a while has compiled its hot code.
  await sendLoad({ url, next: signedBatches(neighbour.ingestKeys), connections, seconds: 5 });
  await settle(service);
  const alone = await watch(() => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)));
  progress(`neighbour: alone, 99 % within ${Math.round(quantile(alone, 0.99))} ms`);
  const during = await watch(async () => {
    const batches = signedBatches(importer.ingestKeys, { shape: 'history' });
    const requests = IMPORTED_EVENTS / EVENTS_PER_BATCH;
    await sendLoad({ url, next: batches, connections, seconds: Infinity, requests });
    await settle(service);
  });
  await service.stop();
  const atMost = Math.min(MILLISECONDS_MAX, TIMES_MAX * quantile(alone, 0.99));
  return {
    benchmark: 'neighbour',
    figures: [
      { name: 'alone: time from accepted to visible, median', value: median(alone), unit: 'ms' },
      { name: 'alone: time from accepted to visible, 99 %', value: quantile(alone, 0.99), unit: 'ms' },
      { name: 'during the import: time from accepted to visible, median', value: median(during), unit: 'ms' },
      {
        name: 'during the import: time from accepted to visible, 99 %',
        value: quantile(during, 0.99),
        unit: 'ms',
        atMost,
      },
      { name: 'during the import: time from accepted to visible, longest', value: Math.max(...during), unit: 'ms' },
    ],
    notes: [
      `One organization sends ${EVENTS_PER_SECOND} live events per second; the other imports ${IMPORTED_EVENTS} events of history over ${connections} connections. ${alone.length} events were watched alone, ${during.length} during the import and until no event was pending.`,
    ],
  };
}
