/** What is billed besides tokens, and calls as gateways and frameworks report them: whole calls through the real endpoints, against published prices. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { expectRight, type RecordedCall, sendAll, type SentCall } from '../../support/recorded-calls.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { unsignedKey } from '../../support/telemetry.ts';

let service: RunningService;
let sent: ReadonlyMap<string, SentCall>;

const files = ['call-fees', 'gateways-and-frameworks', 'vendors-and-regions'].map((name) => {
  const text = readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8');
  return [name, (JSON.parse(text) as { calls: RecordedCall[] }).calls] as const;
});

beforeAll(async () => {
  service = await sharedService();
  sent = await sendAll(
    service,
    await unsignedKey(service),
    files.flatMap(([, calls]) => calls),
  );
});
afterAll(() => service.stop());

describe.each(files)('%s', (_name, calls) => {
  test.each(calls.map(({ id }) => id))('%s', async (id) => {
    await expectRight(service, sent.get(id)!);
  });
});
