/** Verification lists work that does not finish: stranded events, stopped operations, and unprocessed events. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cancelOperation } from '../../../../subgraphs/costing/operations/cancel-operation.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { startRepricing } from '../../../../subgraphs/costing/repricing/start-repricing.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { calls, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const wrong = async () =>
  (await verifyCosting(costing.global)).flatMap(({ check, differences }) => differences.map((each) => [check, each]));

it('verification finds events that wait although a card prices them', async () => {
  await costing.send(calls(3));
  await costing.settle();
  expect(await wrong()).toEqual([]);
  await costing.rows(
    `with card as (insert into rate_card (organization_id, id, model_slug, match_kind, created_at)
       values ($1, $1, 'acme-1', 'prefix', now())),
     alias as (insert into rate_alias values ($1, $1, 'acme-1')),
     version as (insert into rate_card_version (organization_id, id, rate_card_id, input, output, unit_prices, created_at)
       values ($1, $1, $1, 1, 1, '{}', now()))
     insert into rate_generation (organization_id, xid, changed_at) values ($1, pg_current_xact_id(), now()) returning 1`,
    [costing.organizationId],
  );
  expect(await wrong()).toEqual([
    ['no event waits for an existing rate card', expect.stringContaining('3 events of acme-1') as string],
  ]);
  await setRate(costing.global, { model: 'else', input: '1', output: '1' });
  await costing.settle();
  expect(await wrong()).toEqual([]);
});

it('verification finds a repricing that failed, stalled, or was cancelled halfway', async () => {
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const { id } = await startRepricing(costing.operator, { start: at(60), end: at(0) });
  expect(await wrong()).toEqual([]);
  await costing.rows("update operation set updated_at = now() - interval '1 hour', done = 5 returning 1");
  const named = (text: string) => [['every long operation finishes', expect.stringContaining(text) as string]];
  expect(await wrong()).toEqual(named(`${id} of ${costing.organizationId} has not come further`));
  await cancelOperation(costing.operator, id);
  expect(await wrong()).toEqual(named('was cancelled on its way'));
  await costing.rows("update operation set state = 'failed', last_error = 'why' returning 1");
  expect(await wrong()).toEqual(named('has failed: why'));
});

it('verification finds events that are not processed', async () => {
  await costing.send(calls(4));
  await costing.rows("update pricing_job set created_at = now() - interval '1 hour' returning 1");
  expect(await wrong()).toEqual([
    ['every event is processed soon', '4 events have waited to be processed for more than 10 minutes'],
  ]);
});
