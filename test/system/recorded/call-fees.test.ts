/** What is billed besides tokens, and calls as gateways and frameworks report them: whole calls through the real endpoints, against published prices. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { expectRight, type RecordedCall } from '../../support/recorded-calls.ts';
import { runningService, type RunningService } from '../../support/running-service.ts';
import { unsignedKey } from '../../support/telemetry.ts';

let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await runningService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

describe.each(['call-fees', 'gateways-and-frameworks'])('%s', (name) => {
  const text = readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8');
  const { calls } = JSON.parse(text) as { calls: RecordedCall[] };
  test.each(calls.map((call) => [call.id, call] as const))('%s', async (_id, call) => {
    await expectRight(service, key, call);
  });
});
