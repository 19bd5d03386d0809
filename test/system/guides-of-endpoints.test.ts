/** Every sample in the guides of the endpoints is run unchanged, with the address and key of a test's service. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settle } from '../support/api-client.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { operate, unsignedKey } from '../support/telemetry.ts';

const run = promisify(execFile);
let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

/** Samples that send something. */
function samples(guide: string): string[] {
  const text = readFileSync(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.filter((block) => block.includes('curl '));
}

it.each([
  ['opentelemetry', ['openai:chatcmpl-by-hand']],
  ['litellm', ['openai:chatcmpl-litellm-by-hand']],
  ['curl', ['openai:chatcmpl-curl-1', 'anthropic:msg_curl_1', 'call-curl']],
])('the samples of %s create events with a cost', async (guide, keys) => {
  for (const sample of samples(guide)) {
    const script = sample.replaceAll('http://127.0.0.1:8080', service.url);
    const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, KEY: key } });
    expect(stdout).not.toContain('"rejected"');
  }
  await settle(service.url, service.firstRun.operator_token);
  for (const one of keys) {
    const document = 'query ($key: String!) { receivedEvent(idempotencyKey: $key) { status } }';
    expect(await operate(service, document, { key: one })).toEqual({ receivedEvent: { status: 'COMPLETED' } });
  }
});
