/** Sends calls as their senders report them, through the real endpoints, and returns the outcome. */
import { expect } from 'vitest';
import { post, settle } from './api-client.ts';
import type { RunningService } from './running-service.ts';
import { operate, sendTo } from './telemetry.ts';

type Endpoint = 'v1' | 'responses' | 'litellm';

export interface RecordedCall {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** One request each. */
  readonly input: readonly unknown[];
  /**
   * `total_cost`: the sum over the events. `guessed`, `waits`: part of the event's text about it. `ignored`: why there
   * is no event. `certain: true`: the cost must not be a guess.
   */
  readonly right: {
    readonly total_cost?: string;
    readonly guessed?: string;
    readonly waits?: string;
    readonly ignored?: string;
    readonly certain?: boolean;
  };
  /** Source of the expected value. */
  readonly source: string;
}

const PATHS = { responses: '/ext/v1/provider-responses', litellm: '/ext/v1/litellm' };

/** A call that was sent: the service's answer for each of its events. */
export interface SentCall {
  readonly call: RecordedCall;
  readonly results: readonly { status: string; event_id?: string; message?: string }[];
}

interface CallOutcome {
  readonly events: readonly { totalCost: string | null; reading: string | null; texts: string }[];
  readonly ignored: readonly string[];
}

/** Sends one call after another, and waits once until all are priced. */
export async function sendAll(
  service: RunningService,
  key: string,
  calls: readonly RecordedCall[],
): Promise<ReadonlyMap<string, SentCall>> {
  const sent = new Map<string, SentCall>();
  for (const call of calls) sent.set(call.id, await send(service, key, call));
  await settle(service.url, service.firstRun.operator_token);
  return sent;
}

export async function expectRight(service: RunningService, { call, results }: SentCall): Promise<void> {
  const { events, ignored } = await outcomeOf(service, results);
  const { total_cost: total, guessed, waits, ignored: reason, certain } = call.right;
  if (reason !== undefined) {
    expect({ events, ignored }).toEqual({ events: [], ignored: [reason] });
    return;
  }
  expect(events.length).toBeGreaterThan(0);
  const texts = events.map((event) => event.texts).join('; ');
  if (total !== undefined) expect([sumOf(events), texts]).toEqual([total, texts]);
  if (guessed !== undefined) {
    expect([events.map(({ reading }) => reading), texts]).toEqual([events.map(() => 'guessed'), texts]);
    expect(texts).toContain(guessed);
  }
  if (certain === true) expect(events.map(({ reading }) => reading)).not.toContain('guessed');
  if (waits !== undefined) {
    expect([events.map(({ totalCost }) => totalCost), texts]).toEqual([events.map(() => null), texts]);
    expect(texts).toContain(waits);
  }
}

async function send(service: RunningService, key: string, call: RecordedCall): Promise<SentCall> {
  const results: SentCall['results'][number][] = [];
  for (const body of call.input) {
    const answer =
      call.endpoint === 'v1'
        ? await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, body)
        : await sendTo(service.url, PATHS[call.endpoint], key, body);
    results.push(
      ...((answer.body as { results?: SentCall['results'] }).results ?? [
        { status: String(answer.status), message: JSON.stringify(answer.body) },
      ]),
    );
  }
  return { call, results };
}

async function outcomeOf(service: RunningService, results: SentCall['results']): Promise<CallOutcome> {
  const ids = [...new Set(results.flatMap(({ event_id }) => event_id ?? []))];
  const events = await Promise.all(
    ids.map(async (id) => {
      const { entries, reason, totalCost } = (await operate(service, OUTCOME, { id })).costExplanation;
      const [entry] = entries;
      const texts = [
        reason,
        entry?.tokenReading,
        ...(entry?.lines ?? []).map(({ why }: { why: string | null }) => why),
      ];
      return {
        totalCost,
        reading: entry?.reading ?? null,
        texts: texts.filter((text) => typeof text === 'string').join('; '),
      };
    }),
  );
  const left = results.filter(({ event_id }) => event_id === undefined);
  return { events, ignored: left.map(({ status, message }) => `${status}: ${message ?? ''}`) };
}

const OUTCOME = `query ($id: ID!) { costExplanation(eventId: $id) {
  totalCost reason entries { reading tokenReading lines { why } }
} }`;

/** Exact, in whole units of the fifteenth decimal. */
function sumOf(events: CallOutcome['events']): string {
  const units = events.reduce((sum, { totalCost }) => sum + unitsOf(totalCost ?? '0'), 0n);
  const text = units.toString().padStart(16, '0');
  return `${text.slice(0, -15)}.${text.slice(-15)}`.replace(/\.?0+$/, '');
}

function unitsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(15, '0'));
}
