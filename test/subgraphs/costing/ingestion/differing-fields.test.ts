/** The fields in which a resend differs from the stored event, by the names of the contract. */
import { describe, expect, it } from 'vitest';
import { parseUsageEvent } from '../../../../subgraphs/costing/events/parse-usage-event.ts';
import { differingFields } from '../../../../subgraphs/costing/ingestion/differing-fields.ts';

type Stored = Parameters<typeof differingFields>[0];

const SENT = {
  ...{ idempotency_key: 'k', model: 'acme-1', provider: 'acme', input_tokens: 1, output_tokens: 2 },
  ...{
    event_invoked_at: '2026-03-10T12:00:00.123Z',
    user_id: 'ann',
    session_id: 's',
    span_id: 'a',
    parent_span_id: 'b',
  },
  ...{ feature: 'chat', agent_id: 'support', units: '1.5', cost_override: '0.10', metadata: { team: 'blue' } },
};

/** The differences of two events as sent; `more` changes the first one after it was stored. */
function differences(first: object, resent: object, more: Partial<Stored> = {}): string[] {
  const [one, other] = [first, resent].map((item) => {
    const parsed = parseUsageEvent(item);
    if (!parsed.ok) throw new Error(parsed.message);
    const { event } = parsed;
    const [metadata, providerUsage] = [event.metadataJson, event.providerUsageJson].map((json) =>
      json === null ? null : (JSON.parse(json) as Record<string, unknown>),
    );
    return { event, report: { ...event, metadata, providerUsage, receivedAtMs: 0 } as unknown as Stored };
  });
  return differingFields({ ...one!.report, ...more }, other!.event, other!.report);
}

describe('a resend', () => {
  it.each<[string, object, string[]]>([
    ['that is equal', {}, []],
    ['with amounts written differently', { units: '1.50', cost_override: 0.1 }, []],
    ['with the same time in another form', { event_invoked_at: '2026-03-10T13:00:00.123000+01:00' }, []],
    ['a microsecond later', { event_invoked_at: '2026-03-10T12:00:00.123001Z' }, ['event_invoked_at']],
    ['with another model and user', { model: 'acme-2', user_id: 'bob' }, ['model', 'user_id']],
    ['without a provider', { provider: undefined }, ['provider']],
    ['with other counts', { input_tokens: 2, reasoning_tokens: 0 }, ['input_tokens', 'reasoning_tokens']],
    ['with other amounts', { units: '2', cost_override: undefined }, ['cost_override', 'units']],
    ['with other metadata', { metadata: { team: 'red' } }, ['metadata']],
    ['with a usage object that the first did not have', { usage: { prompt_tokens: 1 } }, ['usage']],
  ])('%s', (_, more, expected) => {
    expect(differences(SENT, { ...SENT, ...more })).toEqual(expected);
  });

  it('is compared with the numbers as the database prints them', () => {
    const printed = {
      eventTime: '2026-03-10T12:00:00.123000Z',
      ...{ units: '1.500000000000000', costOverride: '0.100000000000000' },
    };
    expect(differences(SENT, SENT, printed)).toEqual([]);
  });

  it('may differ by lacking the usage object that the first report had', () => {
    expect(differences({ ...SENT, usage: { prompt_tokens: 1 } }, SENT)).toEqual(['usage']);
  });

  it('is not compared with what was removed from the stored event', () => {
    const removed = {
      ...{ reducedAt: '2026-03-11T00:00:00Z', endUserExternalId: 'erased-1', metadata: null },
      ...{ sessionId: null, spanId: null, parentSpanId: null },
    };
    expect(differences(SENT, SENT, removed as Partial<Stored>)).toEqual([]);
    expect(differences(SENT, { ...SENT, feature: 'search' }, removed as Partial<Stored>)).toEqual(['feature']);
    expect(differences(SENT, SENT, { ...removed, reducedAt: null } as Partial<Stored>)).toEqual([
      ...['user_id', 'session_id', 'span_id', 'parent_span_id', 'metadata'],
    ]);
  });
});
