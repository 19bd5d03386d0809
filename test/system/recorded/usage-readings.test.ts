/** Real bodies of providers, gateways and frameworks, sent through the real endpoints, cost the published price. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate, sendTo, unsignedKey } from '../../support/telemetry.ts';

interface Case {
  readonly id: string;
  readonly what: string;
  readonly door: string;
  /** One request each. */
  readonly input: readonly unknown[];
  /** USD, the sum over its events; null: nothing is booked. */
  readonly cost: string | null;
  readonly events?: number;
  /** Reading of its events; all others must not be guesses. */
  readonly reading?: string;
  /** Expected content of the response to the last request. */
  readonly answer?: unknown;
  /** Why the records without an event were left out. */
  readonly ignored?: string;
  readonly source: string;
}

const CASES = JSON.parse(readFileSync(new URL('usage-readings.json', import.meta.url), 'utf8')) as readonly Case[];
const PATHS: Readonly<Record<string, string>> = {
  responses: '/ext/v1/provider-responses',
  litellm: '/ext/v1/litellm',
  traces: '/otlp/v1/traces',
  logs: '/otlp/v1/logs',
};

let service: RunningService;
let key: string;
beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

async function received(args: string): Promise<any[]> {
  const fields = 'id idempotencyKey provider model inputTokens outputTokens status totalCost reading reason';
  return (await operate(service, `{ receivedEvents(${args}) { nodes { ${fields} } } }`)).receivedEvents.nodes;
}

async function send(door: string, input: unknown): Promise<{ status: number; body: any }> {
  if (door === 'responses+traces') {
    const { door: own, body } = input as { door: string; body: unknown };
    return send(own, body);
  }
  const path = PATHS[door];
  return path === undefined
    ? post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, input)
    : sendTo(service.url, path, key, input);
}

it.each(CASES)('$id: $what', async ({ door, input, cost, events, reading, answer, ignored }) => {
  const [last] = await received('first: 1');
  let told: unknown;
  for (const request of input) {
    const { status, body } = await send(door, request);
    expect([200, 202]).toContain(status);
    told = body;
  }
  await settle(service.url, service.firstRun.operator_token);
  const made = await received(last === undefined ? 'first: 50' : `receivedAfter: "${last.id}", first: 50`);
  const sum = made.reduce((total, { totalCost }) => total + BigInt(Math.round(Number(totalCost ?? 0) * 1e12)), 0n);
  expect({ cost: made.length === 0 ? null : Number(sum) / 1e12, made }).toMatchObject({
    cost: cost === null ? null : Number(cost),
  });
  if (events !== undefined) expect(made).toHaveLength(events);
  for (const one of made) {
    if (reading !== undefined) expect(one.reading).toBe(reading);
    else if (one.status === 'completed') expect(one.reading).not.toBe('guessed');
  }
  if (answer !== undefined) expect(told).toMatchObject(answer as object);
  if (ignored !== undefined) {
    const { telemetrySources } = await operate(service, '{ telemetrySources { ignored { reason } } }');
    expect(telemetrySources.flatMap((one: any) => one.ignored)).toContainEqual({ reason: ignored });
  }
});
