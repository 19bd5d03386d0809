/** The list price of a call at an organization's own rate: that of the catalogue at the time of the call. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

it('the list price follows the catalogue while the organization’s own rate stays the same', async () => {
  const rate = { model: 'gpt-4o', provider: 'openai', output: '0' };
  await setRate(costing.global, { ...rate, input: '2', effectiveFrom: '2026-01-01' });
  await setRate(costing.global, { ...rate, input: '4', effectiveFrom: '2026-03-01' });
  await setRate(costing.operator, { ...rate, input: '1', effectiveFrom: '2026-01-01' });
  const at = (time: string) =>
    call({ model: 'gpt-4o', provider: 'openai', input_tokens: 1_000_000, output_tokens: 0, event_invoked_at: time });
  await costing.send(
    ['2026-02-01T00:00:00Z', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z', '2026-02-01T00:00:01Z'].map(at),
  );
  await costing.settle();
  const booked = await costing.rows<{ text: string }>(
    `select to_char(event_time at time zone 'UTC', 'MM-DD') || ' ' || trim_scale(total_cost) || ' of ' || (explanation -> 'charges' -> 0 ->> 3) as text
     from cost_entry order by event_time`,
  );
  expect(booked.map(({ text }) => text)).toEqual(['02-01 1 of 2', '02-01 1 of 2', '02-28 1 of 2', '03-01 1 of 4']);
});
