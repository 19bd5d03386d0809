/** The events that a new allowance would have to sum up, and how many of them are too many. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { countEarlierEvents } from '../../../../subgraphs/costing/allowances/allowed-costs.query.ts';
import { type Costing, event, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const FROM = '2026-03-01T00:00:00.000000Z';
const count = (subject: 'end_user' | 'agent' | 'organization', max = 100) =>
  costing.database.snapshot(costing.organizationId, (tx) =>
    countEarlierEvents(tx, costing.organizationId, { subject, subjectId: 'anna', period: 'day' }, { from: FROM, max }),
  );

it('the earlier events of an allowance are the live ones of its subject from the first instant on, up to the maximum', async () => {
  let number = 0;
  const use = (at: string, more: object = {}) =>
    event(`use-${++number}`, {
      ...{ cost_override: '1', user_id: 'anna', agent_id: 'anna', event_invoked_at: at },
      ...more,
    });
  await costing.send([
    use('2026-02-28T23:59:59.999Z'),
    ...[FROM, '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z'].map((at) => use(at)),
    use('2026-03-02T00:00:00Z', { user_id: 'ben', agent_id: 'ben' }),
  ]);
  await costing.send([use('2026-03-02T00:00:00Z')], costing.test);
  await costing.send([use('2026-03-02T00:00:00Z')], costing.stranger);
  await costing.settle();
  expect([await count('end_user'), await count('agent'), await count('organization')]).toEqual([3, 3, 0]);
  expect([await count('end_user', 2), await count('agent', 2)]).toEqual([2, 2]);
});

it('earlier events of an agent are not searched for among more than a million events', async () => {
  await costing.send([event('one', { cost_override: '1', agent_id: 'anna', event_invoked_at: FROM })]);
  await costing.settle();
  await costing.rows('update cost_hour set completed = 1000000');
  expect(await count('agent')).toBe(1);
  await costing.rows('update cost_hour set completed = 1000001');
  expect(await count('agent')).toBe(100);
  // Events before the first instant are not searched.
  await costing.rows("update cost_hour set hour = hour - interval '1 hour'");
  expect(await count('agent')).toBe(1);
});
