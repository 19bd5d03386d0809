/**
 * Data that is not understood is listed with its number and an example; an alias settles events waiting for its model.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listUnknownFields } from '../../../../subgraphs/costing/events/list-unknown-fields.operation.ts';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { getCostingHealth } from '../../../../subgraphs/costing/ledger/get-costing-health.operation.ts';
import { listModelAliases } from '../../../../subgraphs/costing/rate-changes/list-model-aliases.operation.ts';
import { setModelAlias } from '../../../../subgraphs/costing/rate-changes/set-model-alias.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { call, calls, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
  await setRate(costing.operator, {
    model: 'house',
    provider: 'azure',
    input: '1',
    output: '2',
    contexts: [{ context: 'tier=batch', factor: '0.5' }],
  });
  await setRate(costing.operator, { model: 'sonnet', input: '3', output: '15' });
});
afterAll(() => costing.close());

it('waiting events are grouped by cause, guesses and unknown fields are counted, and each has an example', async () => {
  const at = '2026-01-15T10:00:00.000Z';
  const ids = await costing.send([
    ...calls(2, { model: 'chat-prod', provider: 'azure', event_invoked_at: at }),
    call({ model: 'house', provider: 'acme cloud' }),
    call({ model: 'house', provider: 'azure', service_tier: 'flex' }),
    call({ model: 'sonnet', provider: 'anthropic', cache_read_input_tokens: 10 }),
    call({ model: 'sonnet', userId: 'kim' }),
  ]);
  await costing.send([call({ model: 'sonnet', userId: 'kim' })], costing.test);
  await costing.settle();
  const health = await getCostingHealth(costing.live, 30);
  expect(health.unpriced.map(({ cause, provider, model, events }) => [cause, provider, model, events])).toEqual([
    ['UNKNOWN_MODEL', 'azure', 'chat-prod', 2],
    ['UNKNOWN_CONTEXT', 'azure', 'house', 1],
  ]);
  const [waiting] = health.unpriced;
  expect(ids.slice(0, 2)).toContain(waiting?.exampleEventId);
  expect([waiting?.firstAt, waiting?.lastAt, waiting?.reason]).toEqual([
    new Date(at),
    new Date(at),
    expect.stringMatching(/^No rate card/),
  ]);
  expect(health.guessed).toEqual([
    expect.objectContaining({ model: 'sonnet', provider: 'anthropic', events: 1, exampleEventId: ids[4] }),
  ]);
  expect(health.unknownFields).toMatchObject([
    { name: 'userId', meant: 'user_id', exampleEventId: expect.any(String) },
  ]);
  expect(await getCostingHealth(costing.stranger, 30)).toMatchObject({ unpriced: [], guessed: [], unknownFields: [] });
  for (const days of [0, 1.5, 367])
    await expect(getCostingHealth(costing.live, days)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('an alias maps a deployment to its model, settles waiting events, and is shown in the explanation', async () => {
  const [id = ''] = await costing.send([call({ model: 'Chat-EU', provider: 'azure' })]);
  await costing.settle();
  expect((await costing.costs())[id]).toBeUndefined();
  // The event waiting for its context is checked again too.
  const alias = { name: ' chat-eu', provider: 'Azure OpenAI', model: 'house-2' };
  expect(await setModelAlias(costing.operator, alias)).toMatchObject({ requeuedEvents: 2 });
  await costing.settle();
  expect((await costing.costs())[id]).toBe('0.0012');
  const { entries } = await explainCost(costing.live, id, null);
  expect(entries[0]?.matchRule).toBe(
    '"Chat-EU" is an alias of house-2; matched "house" as longest prefix of "house-2" as sent',
  );
  expect(await listModelAliases(costing.live)).toEqual([
    { name: 'chat-eu', provider: 'azure', model: 'house-2', isStandard: false, changedAt: expect.any(Date) },
  ]);
  expect(await listModelAliases(costing.stranger)).toEqual([]);
});

it('an alias for a provider takes precedence over one for all, and the organization’s over a standard one; another provider’s does not apply', async () => {
  const priceOf = async (provider: string | undefined) => {
    const [id = ''] = await costing.send([call({ model: 'deployed', provider })]);
    await costing.settle();
    return (await costing.costs())[id];
  };
  await setModelAlias(costing.global, { name: 'deployed', model: 'sonnet' });
  expect(await priceOf(undefined)).toBe('0.0045');
  await setModelAlias(costing.operator, { name: 'deployed', provider: 'azure', model: 'house' });
  expect([await priceOf('azure'), await priceOf(undefined)]).toEqual(['0.0012', '0.0045']);
  await setModelAlias(costing.operator, { name: 'deployed', provider: 'azure' });
  expect(await priceOf('azure')).toBe('0.0045');
});

it.each<[string, { name: string; provider?: string; model?: string }, string]>([
  ['an empty name', { name: ' ', model: 'house' }, 'VALIDATION_ERROR'],
  ['itself', { name: 'House', model: 'house' }, 'VALIDATION_ERROR'],
  ['too long a model', { name: 'a', model: 'x'.repeat(256) }, 'VALIDATION_ERROR'],
  ['one that does not exist', { name: 'nothing' }, 'NOT_FOUND'],
])('an invalid alias is rejected: %s', async (_name, input, code) => {
  await expect(setModelAlias(costing.operator, input)).rejects.toMatchObject({ code });
});

it('events with an unknown field are counted, within a second', async () => {
  await costing.send(calls(5, { model: 'sonnet', colour: 'red' }));
  const [seen] = (await listUnknownFields(costing.live)).filter(({ name }) => name === 'colour');
  expect(seen?.events).toBe(5);
});
