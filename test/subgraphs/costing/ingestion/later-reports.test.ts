/**
 * Later reports of a call: which ones replace the counts, which ones conflict, and that everything adds up afterwards
 * (decision 76).
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PricedBatchBody } from '#schema/priced-feed.ts';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { getCostingHealth } from '../../../../subgraphs/costing/ledger/get-costing-health.operation.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { ingestProviderResponses } from '../../../../subgraphs/costing/telemetry/ingest-provider-responses.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { importCatalogue } from '../../../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';
import { type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
  await importCatalogue(costing.global);
});
afterEach(() => costing.close());

/** A message as a coding agent writes it to its transcript while streaming. */
const row = (output: number, more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  model: 'claude-sonnet-4-6',
  usage: {
    input_tokens: 2,
    output_tokens: output,
    cache_read_input_tokens: 15_030,
    cache_creation_input_tokens: 8_655,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 8_655 },
    ...more,
  },
});
/** At the published prices: 3 for input, 15 for output, 0.30 for cache reads, 6 for one-hour cache writes. */
const COST_OF_1 = '0.05646';
const COST_OF_260 = '0.060345';

const chat = (created: number, input: number, output: number, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created,
  model: 'gpt-4o-mini',
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  ...more,
});
const NOON = 1_795_694_400;

const report = (...items: object[]) => ingestProviderResponses(costing.live, { items, newEventsMax: Infinity });
const onlyCost = async () => Object.values(await costing.costs());
const spent = () => costing.rows<{ events: number }>('select count(*)::int as events from usage_event');

async function expectVerified(): Promise<void> {
  const checks = await verifyCosting(costing.operator);
  expect(checks.flatMap(({ check, differences }) => differences.map((text) => `${check}: ${text}`))).toEqual([]);
}

/** The sums that consumers of the feed compute. */
async function told() {
  const batches = await costing.rows<{ body: PricedBatchBody }>('select body from priced_batch order by number');
  const facts = batches.flatMap(({ body }) => body.facts);
  return {
    events: facts.filter(({ sequence }) => sequence === 0).length,
    output: facts.reduce((total, fact) => total + fact.outputTokens, 0),
    cost: facts.reduce((total, fact) => total + Math.round(Number(fact.totalCost) * 1e9), 0) / 1e9,
  };
}

describe('a larger report of a call', () => {
  it('replaces the smaller one within a batch: one event at the cost of the largest', async () => {
    const { accepted, duplicates, failed, results } = await report(row(1), row(1), row(260));
    expect({ accepted, duplicates, failed }).toEqual({ accepted: 3, duplicates: 2, failed: 0 });
    expect(results.map(({ message }) => message)).toEqual([
      expect.stringContaining('Queued'),
      'This call was reported before',
      'This report replaced an earlier one of the call: input 2, output 1, cache_creation 8655, cache_read 15030 became ' +
        'input 2, output 260, cache_creation 8655, cache_read 15030',
    ]);
    await costing.settle();
    expect(await onlyCost()).toEqual([COST_OF_260]);
    expect(await spent()).toEqual([{ events: 1 }]);
    await expectVerified();
  });

  it('adds a correction to an event that has a cost, and publishes the difference to consumers', async () => {
    const first = await report(row(1));
    await costing.settle();
    expect(await onlyCost()).toEqual([COST_OF_1]);
    const again = await report(row(260));
    expect(again.results[0]).toMatchObject({ event_id: first.results[0]!['event_id'], status: 'accepted' });
    expect(await onlyCost()).toEqual([COST_OF_260]);
    const { entries, totalCost } = await explainCost(costing.live, String(first.results[0]!['event_id']), null);
    expect(totalCost?.toString()).toBe(COST_OF_260);
    expect(entries).toMatchObject([
      { sequence: 0, cause: 'PRICED' },
      {
        sequence: 1,
        cause: 'REPORTED',
        reading: 'anthropic-messages',
        tokenReading: expect.stringContaining(
          'replaced input 2, output 1, cache_creation 8655, cache_read 15030 with input 2, output 260',
        ),
        lines: [{ class: 'output', cost: '0.003885' }],
      },
    ]);
    expect(await told()).toEqual({ events: 1, output: 260, cost: Number(COST_OF_260) });
    await expectVerified();
    expect((await report(row(260), row(260))).results).toMatchObject([
      { message: 'This call was reported before' },
      { message: 'This call was reported before' },
    ]);
    expect(await onlyCost()).toEqual([COST_OF_260]);
  });

  it('is compared with the latest report, not with the first one, within a request too', async () => {
    await report(row(1));
    const { results } = await report(row(260), row(100));
    expect(results).toMatchObject([{ status: 'accepted' }, { status: 'rejected', error: 'CONFLICT' }]);
    await costing.settle();
    expect(await onlyCost()).toEqual([COST_OF_260]);
    await expectVerified();
  });

  it('replaces the counts of a test event too', async () => {
    await ingestProviderResponses(costing.test, { items: [row(1)], newEventsMax: Infinity });
    await costing.settle();
    await ingestProviderResponses(costing.test, { items: [row(260)], newEventsMax: Infinity });
    expect(await onlyCost()).toEqual([COST_OF_260]);
    expect(await told()).toEqual({ events: 0, output: 0, cost: 0 });
    await expectVerified();
  });

  it('reaches an event that waits for a rate card', async () => {
    const unknown = (output: number) => ({ ...row(output), model: 'no-such-model' });
    await report(unknown(1));
    await costing.settle();
    await report(unknown(260));
    await costing.settle();
    expect(await costing.counts()).toMatchObject({ completed: 0, pendingRateCard: 1 });
    expect(await costing.rows('select output_tokens::int as output from usage_event')).toEqual([{ output: 260 }]);
    await expectVerified();
  });

  it('counts a search that only the last report contains', async () => {
    await report(row(260));
    await costing.settle();
    await report(row(260, { server_tool_use: { web_search_requests: 2 } }));
    // Ten dollars per thousand searches.
    expect(await onlyCost()).toEqual(['0.080345']);
    await expectVerified();
  });
});

describe('another call under the same id', () => {
  it.each<[string, object, object]>([
    ['another time', chat(NOON, 1_000, 10), chat(NOON + 100, 5_000, 700)],
    ['another time and the same counts', chat(NOON, 1_000, 10), chat(NOON + 100, 1_000, 10)],
    ['a smaller count', chat(NOON, 1_000, 10), chat(NOON, 900, 700)],
    ['another model', chat(NOON, 1_000, 10), chat(NOON, 1_000, 20, { model: 'gpt-4o' })],
  ])('is a conflict: %s', async (_title, first, other) => {
    const { results, failed } = await report(first, other);
    expect(failed).toBe(1);
    expect(results[1]).toMatchObject({ status: 'rejected', error: 'CONFLICT' });
    expect(results[1]!['message']).toContain('input 1000, output 10');
    await costing.settle();
    // 0.15 and 0.60 per million.
    expect(await onlyCost()).toEqual(['0.000156']);
    expect((await report(other)).results[0]).toMatchObject({ status: 'rejected', error: 'CONFLICT' });
    expect(await onlyCost()).toEqual(['0.000156']);
    await expectVerified();
  });

  it('is not a conflict if only the model name is longer', async () => {
    const { results } = await report(
      chat(NOON, 1_000, 10),
      chat(NOON, 1_000, 700, { model: 'gpt-4o-mini-2024-07-18' }),
    );
    expect(results[1]).toMatchObject({ status: 'accepted', message: expect.stringContaining('output 10 became') });
  });
});

describe('an incomplete report', () => {
  const estimate = { provider: 'openai', incomplete: true, response: chat(NOON, 1_000, 40) };

  it('is an estimate that counts as guessed until the final counts arrive, larger or smaller', async () => {
    await report(estimate);
    await costing.settle();
    const guessed = async () => (await getCostingHealth(costing.live, 366)).guessed.map(({ events }) => events);
    const readings = () => costing.rows('select reading, cause from cost_entry order by sequence');
    expect(await readings()).toEqual([{ reading: 'incomplete', cause: 'priced' }]);
    expect(await guessed()).toEqual([1]);
    const { results } = await report(chat(NOON, 900, 700));
    expect(results).toMatchObject([{ status: 'accepted' }]);
    expect(await onlyCost()).toEqual(['0.000555']);
    expect(await readings()).toEqual([
      { reading: 'incomplete', cause: 'priced' },
      { reading: 'openai-chat', cause: 'reported' },
    ]);
    expect(await guessed()).toEqual([]);
    await expectVerified();
  });

  it('may be the beginning of a stream, until the complete message arrives', async () => {
    const begun = { type: 'message_start', message: { ...row(1), stop_reason: null } };
    await report(begun);
    await costing.settle();
    expect(await costing.rows('select reading from cost_entry')).toEqual([{ reading: 'incomplete' }]);
    await report(row(260));
    await costing.settle();
    expect(await onlyCost()).toEqual([COST_OF_260]);
    expect((await report(begun)).results).toMatchObject([{ message: 'This call was reported before' }]);
    await expectVerified();
  });

  it('never replaces a complete one', async () => {
    await report(chat(NOON, 1_000, 700));
    expect((await report(estimate)).results).toMatchObject([{ message: 'This call was reported before' }]);
    await costing.settle();
    expect(await onlyCost()).toEqual(['0.00057']);
  });

  it('on /v1 is completed by an event without the marker, under the first event_id', async () => {
    const event = (input: number, output: number, metadata: object) => ({
      idempotency_key: 'call-1',
      model: 'gpt-4o-mini',
      provider: 'openai',
      input_tokens: input,
      output_tokens: output,
      event_invoked_at: new Date(NOON * 1000).toISOString(),
      metadata,
    });
    const send = async (item: object) => (await ingestUsageEvents(costing.live, [item])).results[0]!;
    const first = await send(event(1_000, 40, { incomplete: true }));
    await costing.settle();
    const completed = await send(event(900, 700, { team: 'blue' }));
    expect(completed).toMatchObject({ status: 'accepted', event_id: (first as { event_id: string }).event_id });
    expect(await onlyCost()).toEqual(['0.000555']);
    // Consumers replace what they keep of the estimate.
    const batches = await costing.rows<{ body: PricedBatchBody }>('select body from priced_batch order by number');
    const facts = batches.flatMap(({ body }) => body.facts);
    expect(facts.map(({ sequence, isReduced = false }) => [sequence, isReduced])).toEqual([
      [0, false],
      [1, true],
    ]);
    // From here on, the contract's rule applies.
    expect(await send(event(9_000, 7_000, {}))).toMatchObject({
      message:
        'Received before under this idempotency_key; the first event stands. This one differs in: input_tokens, output_tokens',
    });
    expect(await onlyCost()).toEqual(['0.000555']);
    await expectVerified();
  });
});

it.each([
  ['a stated cost', { cost_override: '0.5' }, { cost_override: '0.25' }, '0.25'],
  ['units', { units: '2' }, { units: '3' }, '3'],
  ['a unit of its rate card', { metadata: { pages: 2 } }, { metadata: { pages: 3 } }, '0.03'],
])(
  '%s of an estimate is replaced by the complete event, and the estimate may be resent',
  async (_, estimate, complete, cost) => {
    const own = { model: 'reader', provider: null, effectiveFrom: '2020-01-01' };
    await setRate(costing.operator, {
      ...own,
      ...('metadata' in estimate
        ? { input: '1', output: '1', unitPrices: [{ name: 'pages', price: '0.01' }] }
        : { unitPrice: '1' }),
    });
    const send = async (more: Readonly<Record<string, unknown>>, isEstimate: boolean) => {
      const event = { idempotency_key: 'call-1', model: 'reader', input_tokens: 0, output_tokens: 0 };
      const metadata = {
        ...(more.metadata as object | undefined),
        team: 'blue',
        ...(isEstimate && { incomplete: true }),
      };
      const sent = { ...event, event_invoked_at: new Date(NOON * 1_000).toISOString(), ...more, metadata };
      return (await ingestUsageEvents(costing.live, [sent])).results[0]!;
    };
    await send(estimate, true);
    await costing.settle();
    await send(complete, false);
    expect(await onlyCost()).toEqual([cost]);
    expect(await send(estimate, true)).toMatchObject({
      message: 'Received before under this idempotency_key; the first event stands',
    });
    expect(await onlyCost()).toEqual([cost]);
    await expectVerified();
  },
);

it('a report with an empty usage does not use up its id', async () => {
  await report({ ...chat(NOON, 0, 0), usage: {} });
  await report(chat(NOON, 5_000, 700));
  await costing.settle();
  expect(await onlyCost()).toEqual(['0.00117']);
});
