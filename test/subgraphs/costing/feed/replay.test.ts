/** The ledger contains the facts that the feed delivered, in all and in any period: a consumer may read either. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CostFact, PricedBatchBody, ReplayCursor } from '#schema/priced-feed.ts';
import { getLedgerPage } from '../../../../subgraphs/costing/feed/get-ledger-page.operation.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { ingestProviderResponses } from '../../../../subgraphs/costing/telemetry/ingest-provider-responses.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const JANUARY_9 = Date.parse('2026-01-09T12:00:00Z') / 1_000;
const report = async (output: number) => {
  const usage = { prompt_tokens: 1_000, completion_tokens: output, total_tokens: 1_000 + output };
  const item = { id: 'chatcmpl-1', object: 'chat.completion', created: JANUARY_9, model: 'gpt-4o-mini', usage };
  await ingestProviderResponses(costing.live, { items: [item], newEventsMax: Infinity });
  await costing.settle();
};
const rate = (model: string, input: string) =>
  setRate(costing.global, { model, provider: null, input, output: '1', effectiveFrom: '2020-01-01' });
const send = async (day: string, context = costing.live) => {
  await costing.send([call({ event_invoked_at: `2026-${day}T10:30:00Z`, user_id: 'ann' })], context);
  await costing.settle();
};

async function delivered(): Promise<CostFact[]> {
  const batches = await costing.rows<{ body: PricedBatchBody }>('select body from priced_batch order by number');
  return batches.flatMap(({ body }) => body.facts);
}

async function replayed(period: { readonly start?: string; readonly end?: string } = {}): Promise<CostFact[]> {
  const facts: CostFact[] = [];
  let cursor: ReplayCursor | null = {
    phase: 'entries',
    eventId: '00000000-0000-0000-0000-000000000000',
    sequence: -1,
    ...period,
  };
  while (cursor !== null) {
    const page = await getLedgerPage(costing.global, { organizationId: costing.organizationId, cursor });
    facts.push(...page.facts);
    cursor = page.next;
  }
  return facts;
}

const texts = (facts: readonly CostFact[]) =>
  facts
    .map(({ eventId, sequence, eventTime, totalCost, inputTokens, outputTokens }) =>
      [eventId, sequence, eventTime, totalCost, inputTokens, outputTokens].join(' '),
    )
    .toSorted();

it('a replay equals the feed after later reports, corrections and late events of a closed month; both omit test events', async () => {
  await rate('gpt-4o-mini', '1');
  await rate('acme-1', '1');
  await report(10);
  await report(20);
  await send('01-20');
  await send('02-10');
  await send('01-20', costing.test);
  await closeCosts(costing.operator, '2026-01');
  await report(30);
  await report(40);
  await send('01-15');
  await rate('acme-1', '2');
  await reprice(costing.operator, { start: '2026-01-01', end: '2026-03-01', dryRun: false });
  const facts = await delivered();
  expect(texts(await replayed())).toEqual(texts(facts));
  for (const [start, end] of [
    ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['2026-02-01T00:00:00Z', '2026-02-10T10:30:00Z'],
    ['2026-02-10T10:30:00Z', '2026-03-01T00:00:00Z'],
  ] as const) {
    const within = facts.filter(
      ({ eventTime }) => Date.parse(eventTime) >= Date.parse(start) && Date.parse(eventTime) < Date.parse(end),
    );
    expect(within.length).toBeGreaterThan(1);
    expect(texts(await replayed({ start, end }))).toEqual(texts(within));
  }
});
