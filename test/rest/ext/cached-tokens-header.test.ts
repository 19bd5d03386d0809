/** `X-Cached-Tokens`: a request's statement about counts that do not say whether they include cached tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate, sendTo, traces, unsignedKey } from '../../support/telemetry.ts';

const RESPONSES = '/ext/v1/provider-responses';
let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

/** Claude Sonnet 4.6: 3 per million input tokens, 0.30 per million cache reads. 10,000 and 4,000 tokens. */
const INCLUDED = '0.0192';
const EXCLUDED = '0.0312';

/** Only normalized counts have `reasoning_tokens` next to Anthropic's names, so either convention is possible. */
const response = (id: string) => ({
  idempotency_key: id,
  provider: 'anthropic',
  model: 'claude-sonnet-4-6',
  response: { usage: { input_tokens: 10_000, output_tokens: 0, cache_read_input_tokens: 4_000, reasoning_tokens: 0 } },
});
const span = (id: string, more: object = {}) =>
  traces({
    ...more,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-6',
      'gen_ai.usage.input_tokens': 10_000,
      'gen_ai.usage.output_tokens': 0,
      'gen_ai.usage.cache_read.input_tokens': 4_000,
      'gen_ai.response.id': id,
    },
  });

async function send(path: string, body: unknown, stated?: string) {
  const headers: Record<string, string> = stated === undefined ? {} : { 'x-cached-tokens': stated };
  return sendTo(service.url, path, key, body, { headers });
}

async function priceOf(idempotencyKey: string): Promise<unknown> {
  await settle(service.url, service.firstRun.operator_token);
  const document = 'query ($key: String!) { receivedEvent(idempotencyKey: $key) { totalCost reading } }';
  return (await operate(service, document, { key: idempotencyKey })).receivedEvent;
}

describe('X-Cached-Tokens', () => {
  it('makes counts exact that would be a guess without it', async () => {
    await send(RESPONSES, response('open'));
    await send(RESPONSES, response('included'), 'included');
    await send(RESPONSES, response('excluded'), 'excluded');
    expect(await priceOf('open')).toEqual({ totalCost: EXCLUDED, reading: 'guessed' });
    expect(await priceOf('included')).toEqual({ totalCost: INCLUDED, reading: 'stated' });
    expect(await priceOf('excluded')).toEqual({ totalCost: EXCLUDED, reading: 'stated' });
  });

  it('applies to spans, and takes precedence over what is known of their library', async () => {
    await send('/otlp/v1/traces', span('span-open'));
    await send('/otlp/v1/traces', span('span-included'), 'included');
    // openllmetry for Python includes cached tokens in the input.
    const known = { scope: 'opentelemetry.instrumentation.anthropic' };
    await send('/otlp/v1/traces', span('span-known', known));
    await send('/otlp/v1/traces', span('span-known-excluded', known), 'excluded');
    // OpenTelemetry's name for cached tokens is probably used as documented: included in the input.
    expect(await priceOf('anthropic:span-open')).toEqual({ totalCost: INCLUDED, reading: 'guessed' });
    expect(await priceOf('anthropic:span-included')).toEqual({ totalCost: INCLUDED, reading: 'stated' });
    expect(await priceOf('anthropic:span-known')).toEqual({ totalCost: INCLUDED, reading: 'opentelemetry' });
    expect(await priceOf('anthropic:span-known-excluded')).toEqual({ totalCost: EXCLUDED, reading: 'stated' });
  });

  it("takes precedence over the organization's statements", async () => {
    const state =
      'mutation ($input: CachedTokensSetInput!) { cachedTokensSet(input: $input) { userErrors { message } } }';
    const input = { countsOf: 'PROVIDER', subject: 'anthropic', cachedTokens: 'EXCLUDED' };
    await operate(service, state, { input });
    await send(RESPONSES, response('before'), 'included');
    await operate(service, state, { input: { ...input, cachedTokens: null } });
    expect(await priceOf('before')).toEqual({ totalCost: INCLUDED, reading: 'stated' });
  });

  it('changes nothing in unambiguous counts', async () => {
    // Anthropic's own object, then a total that only one interpretation adds up to.
    await send(
      RESPONSES,
      {
        id: 'msg_own',
        type: 'message',
        model: 'claude-sonnet-4-6',
        usage: {
          input_tokens: 10_000,
          output_tokens: 0,
          cache_read_input_tokens: 4_000,
          cache_creation_input_tokens: 0,
        },
      },
      'included',
    );
    const proved = response('proved');
    await send(
      RESPONSES,
      { ...proved, response: { usage: { ...proved.response.usage, total_tokens: 10_000 } } },
      'excluded',
    );
    expect(await priceOf('anthropic:msg_own')).toEqual({ totalCost: EXCLUDED, reading: 'anthropic-messages' });
    expect(await priceOf('proved')).toEqual({ totalCost: INCLUDED, reading: 'normalized' });
  });

  it.each([RESPONSES, '/ext/v1/litellm', '/otlp/v1/traces', '/otlp/v1/logs'])(
    'is refused at %s with any other value',
    async (path) => {
      for (const value of ['yes', '', 'Included', 'included, excluded']) {
        const { status, body } = await send(path, {}, value);
        expect(status).toBe(400);
        expect(JSON.stringify(body)).toContain('X-Cached-Tokens must be included or excluded');
      }
    },
  );
});
