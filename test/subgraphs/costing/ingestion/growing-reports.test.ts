/**
 * Growing reports of one call, in any order and with repetitions, result in the cost of the largest one, and the books
 * add up.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setPlan } from '../../../../subgraphs/costing/credits/set-plan.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { ingestProviderResponses } from '../../../../subgraphs/costing/telemetry/ingest-provider-responses.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import type { PricedBatchBody } from '#schema/priced-feed.ts';
import { type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
  await setRate(costing.global, { model: 'acme-1', input: '1', output: '10' });
  await setPlan(costing.live, { allotment: 100_000, softLimit: 100_000 });
});
afterAll(() => costing.close());

const OUTPUTS = [1, 20, 300, 4_000] as const;
let calls = 0;

/** Each step either reports the call one or more times in one request, with different numbers of output tokens, or prices what is waiting. */
const steps = fc.array(
  fc.oneof(fc.array(fc.constantFrom(...OUTPUTS), { minLength: 1, maxLength: 4 }), fc.constant('price' as const)),
  { minLength: 1, maxLength: 6 },
);

it('reports of a call in any order result in the largest one', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const id = `chatcmpl-${++calls}`;
      const body = (output: number) => ({
        id,
        object: 'chat.completion',
        created: 1_795_694_400,
        model: 'acme-1',
        usage: { prompt_tokens: 100, completion_tokens: output, total_tokens: 100 + output },
      });
      const reported: number[] = [];
      for (const step of sequence) {
        if (step === 'price') await costing.settle();
        else {
          await ingestProviderResponses(costing.live, { items: step.map(body), newEventsMax: Infinity });
          reported.push(...step);
        }
      }
      await costing.settle();
      const [stored] = await costing.rows<{ events: number; output: number; cost: string }>(
        `select count(distinct e.id)::int as events, min(e.output_tokens)::int as output, trim_scale(sum(c.total_cost))::text as cost
         from usage_event e join cost_entry c on c.event_id = e.id where e.idempotency_key = $1`,
        [`openai:${id}`],
      );
      if (reported.length === 0) return;
      const largest = Math.max(...reported);
      // One dollar per million input tokens, ten per million output tokens.
      expect(stored).toEqual({ events: 1, output: largest, cost: String((100 + 10 * largest) / 1e6) });
    }),
    { numRuns: 15 },
  );
  const checks = await verifyCosting(costing.operator);
  expect(checks.flatMap(({ differences }) => differences)).toEqual([]);
  const batches = await costing.rows<{ body: PricedBatchBody }>('select body from priced_batch');
  const facts = batches.flatMap(({ body }) => body.facts);
  const [books] = await costing.rows<{ events: number; output: number; cost: string; spent: number }>(
    `select count(*)::int as events, sum(output_tokens)::int as output,
       (select trim_scale(sum(total_cost))::text from cost_entry) as cost,
       (select spent::int from credit_account) as spent from usage_event`,
  );
  expect(books).toMatchObject({
    events: facts.filter(({ sequence }) => sequence === 0).length,
    output: facts.reduce((total, { outputTokens }) => total + outputTokens, 0),
    spent: books?.events,
  });
  const microdollars = facts.reduce((total, { totalCost }) => total + Math.round(Number(totalCost) * 1e6), 0);
  expect(microdollars).toBe(Math.round(Number(books?.cost) * 1e6));
});
