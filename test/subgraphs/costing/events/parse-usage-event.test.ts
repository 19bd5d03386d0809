import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { type UsageEventDraft, parseUsageEvent } from '../../../../subgraphs/costing/events/parse-usage-event.ts';

const LEAST = {
  idempotency_key: 'k',
  model: 'm',
  input_tokens: 1,
  output_tokens: 2,
  event_invoked_at: '2026-01-31T12:00:00Z',
};

const LEAST_DRAFT: UsageEventDraft = {
  idempotencyKey: 'k',
  model: 'm',
  provider: null,
  endUserExternalId: null,
  inputTokens: 1,
  outputTokens: 2,
  eventTime: '2026-01-31T12:00:00.000Z',
  eventTimeMs: Date.UTC(2026, 0, 31, 12),
  costOverride: null,
  experimentId: null,
  variant: null,
  sessionId: null,
  sessionType: null,
  spanId: null,
  parentSpanId: null,
  feature: null,
  agentId: null,
  workflowId: null,
  units: null,
  cacheCreationInputTokens: null,
  cacheReadInputTokens: null,
  reasoningTokens: null,
  metadata: null,
  metadataJson: null,
  providerUsageJson: null,
  unknownFields: [],
};

function draft(fields: Record<string, unknown>): UsageEventDraft {
  const parsed = parseUsageEvent({ ...LEAST, ...fields });
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.event;
}

function refusal(fields: Record<string, unknown>): string {
  const parsed = parseUsageEvent({ ...LEAST, ...fields });
  if (parsed.ok) throw new Error('was accepted');
  return parsed.message;
}

describe('accepted events', () => {
  test('the five required fields are enough', () => {
    expect(parseUsageEvent(LEAST)).toEqual({ ok: true, event: LEAST_DRAFT });
  });

  test('an optional field that is null is absent', () => {
    const names =
      'provider user_id cost_override experiment session_id session_type span_id parent_span_id metadata feature agent_id ' +
      'workflow_id units cache_creation_input_tokens cache_read_input_tokens reasoning_tokens';
    expect(draft(Object.fromEntries(names.split(' ').map((name) => [name, null])))).toEqual(LEAST_DRAFT);
  });

  test('every field is stored in its column', () => {
    expect(
      draft({
        provider: 'openai',
        user_id: ' Ünïted 🙂 ',
        cost_override: '0.50',
        experiment: { experiment_id: 'e', variant: 'v', more: 1 },
        session_id: 's',
        session_type: 't',
        span_id: 'sp',
        parent_span_id: 'ps',
        feature: 'f',
        agent_id: 'a',
        workflow_id: 'w',
        units: 1.5,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 3,
        reasoning_tokens: 4,
        metadata: { region: 'eu' },
        unknown: ['\0'],
      }),
    ).toEqual({
      ...LEAST_DRAFT,
      unknownFields: ['unknown'],
      provider: 'openai',
      endUserExternalId: ' Ünïted 🙂 ',
      costOverride: '0.5',
      experimentId: 'e',
      variant: 'v',
      sessionId: 's',
      sessionType: 't',
      spanId: 'sp',
      parentSpanId: 'ps',
      feature: 'f',
      agentId: 'a',
      workflowId: 'w',
      units: '1.5',
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 3,
      reasoningTokens: 4,
      metadata: { region: 'eu' },
      metadataJson: '{"region":"eu"}',
    });
  });

  test.each([
    ['0', 0],
    ['1.0', 1],
    ['1e3', 1000],
    ['-0', 0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['5.000000000000000000000', 5],
  ])('a token count written %s', (text, count) => {
    expect(draft({ input_tokens: parseExactJson(text) }).inputTokens).toBe(count);
  });

  test.each([
    ['2026-01-31T12:00:00.1234567+02:00', '2026-01-31T10:00:00.123456Z'],
    ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00.000Z'],
    ['1999-12-31T23:00:00-01:00', '2000-01-01T00:00:00.000Z'],
  ])('the time %s', (text, iso) => {
    expect(draft({ event_invoked_at: text }).eventTime).toBe(iso);
  });

  test('a cost is read from the digits sent, not from a double', () => {
    const body = `{"idempotency_key":"k","model":"m","input_tokens":1,"output_tokens":2,"event_invoked_at":"2026-01-31T12:00:00Z","cost_override":`;
    const parse = (cost: string) => parseUsageEvent(parseExactJson(`${body}${cost}}`));
    expect(parse('123456789012.123456789012345')).toMatchObject({
      event: { costOverride: '123456789012.123456789012345' },
    });
    expect(parse('1e-15')).toMatchObject({ event: { costOverride: '0.000000000000001' } });
    expect(parse('0.1234567890123456789')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^cost_override must be/),
    });
  });

  test('255 characters are code points, not UTF-16 units', () => {
    expect(draft({ model: '🙂'.repeat(255) }).model).toHaveLength(510);
    expect(refusal({ model: '🙂'.repeat(256) })).toBe('model must be a string of 1 to 255 characters');
    expect(refusal({ model: 'x'.repeat(256) })).toBe('model must be a string of 1 to 255 characters');
  });
});

describe('rejected events', () => {
  test.each([null, undefined, 1, 'x', true, [], [LEAST], parseExactJson('1e999')])('%o is not an event', (item) => {
    expect(parseUsageEvent(item)).toEqual({ ok: false, message: 'A usage event must be a JSON object' });
  });

  describe.each(['idempotency_key', 'model', 'input_tokens', 'output_tokens', 'event_invoked_at'])('%s', (name) => {
    test('missing or null', () => {
      expect(refusal({ [name]: undefined })).toBe(`${name} is required`);
      expect(refusal({ [name]: null })).toBe(`${name} is required`);
    });
  });

  const texts =
    'idempotency_key model provider user_id session_id session_type span_id parent_span_id feature ' +
    'agent_id workflow_id';
  test.each(texts.split(' '))('%s with an invalid text', (name) => {
    for (const value of ['', 1, true, [], {}, ['x'], 'x'.repeat(256)]) {
      expect(refusal({ [name]: value })).toBe(`${name} must be a string of 1 to 255 characters`);
    }
    expect(refusal({ [name]: 'a\0' })).toBe(`${name} must not contain a NUL character`);
    expect(refusal({ [name]: 'a\ud800' })).toMatch(new RegExp(`^${name} must not contain a lone surrogate`));
    expect(refusal({ [name]: '\udc00\ud800' })).toMatch(new RegExp(`^${name} must not contain a lone surrogate`));
  });

  const counts = 'input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens reasoning_tokens';
  test.each(counts.split(' '))('%s with an invalid count', (name) => {
    for (const text of [
      '-1',
      '1.5',
      '9007199254740992',
      '9007199254740993',
      '1e400',
      '0.99999999999999999999',
      '"1"',
      'true',
      '[]',
      '{}',
    ]) {
      expect(refusal({ [name]: parseExactJson(text) })).toBe(`${name} must be an integer from 0 to 9007199254740991`);
    }
  });

  test.each([
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-02-30T12:00:00Z',
    '1999-12-31T23:59:59.999999Z',
    '2026-01-31 12:00:00Z',
    '',
    1_790_000_000,
    {},
    [],
    true,
  ])('event_invoked_at %j', (value) => {
    expect(refusal({ event_invoked_at: value })).toMatch(
      /^event_invoked_at must be an RFC 3339 date-time with an offset or Z/,
    );
  });

  test.each(['cost_override', 'units'])('%s out of range', (name) => {
    for (const value of [-1, 1e12, '0.1234567890123456', '1e2', '', 'free', {}, [], true]) {
      expect(refusal({ [name]: value })).toMatch(
        new RegExp(`^${name} must be a number or a decimal string in plain notation, 0 or more`),
      );
    }
  });

  test.each([
    [{}, 'experiment.experiment_id is required; experiment.variant is required'],
    [{ experiment_id: 'e' }, 'experiment.variant is required'],
    [{ variant: 'v' }, 'experiment.experiment_id is required'],
    [{ experiment_id: 'e', variant: null }, 'experiment.variant is required'],
    [{ experiment_id: 'e', variant: '' }, 'experiment.variant must be a string of 1 to 255 characters'],
    [{ experiment_id: 7, variant: 'v' }, 'experiment.experiment_id must be a string of 1 to 255 characters'],
    ['e', 'experiment must be an object with experiment_id and variant'],
    [[], 'experiment must be an object with experiment_id and variant'],
  ])('experiment %o', (experiment, message) => {
    expect(refusal({ experiment })).toBe(message);
  });
});

test('no JSON value makes the parser throw', () => {
  const anyField = fc.dictionary(
    fc.constantFrom(...Object.keys(LEAST), 'metadata', 'experiment', 'units', 'cost_override', '__proto__', 'x'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        anyField,
        anyField.map((fields) => ({ ...LEAST, ...fields })),
      ),
      (item) => {
        const parsed = parseUsageEvent(item);
        if (!parsed.ok) expect(parsed.message).toMatch(/^\S.* /);
      },
    ),
    { numRuns: 2000 },
  );
});

test('an error names every invalid field, at most ten of them', () => {
  const parsed = parseUsageEvent({
    idempotency_key: '',
    input_tokens: -1,
    output_tokens: 1.5,
    user_id: 7,
    cost_override: 'x',
  });
  expect(parsed.ok ? [] : parsed.message.split('; ').map((one) => one.split(' ', 1)[0])).toEqual([
    'idempotency_key',
    'model',
    'input_tokens',
    'output_tokens',
    'event_invoked_at',
    'user_id',
    'cost_override',
  ]);
});
