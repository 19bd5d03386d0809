/** Unknown fields are counted once for each event, separately for each organization. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listUnknownFields } from '../../../../subgraphs/costing/events/list-unknown-fields.operation.ts';
import type { Outcome } from '../../../../subgraphs/costing/ingestion/batch-result.ts';
import { ingestionSource } from '../../../../subgraphs/costing/ingestion/ingestion-source.ts';
import { recordUnknownFieldsOf } from '../../../../subgraphs/costing/ingestion/record-unknown-fields.step.ts';
import { type Costing, event, log, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const listed = async (context = costing.live) =>
  (await listUnknownFields(context)).map(({ name, events }) => [name, Number(events)]);

it('unknown fields of several organizations are recorded within a second, and not again for a resend', async () => {
  const odd = event('odd', { colour: 'red' });
  await costing.send([odd, event('odd-2', { colour: 'blue', size: 1 })]);
  await costing.send([odd], costing.stranger);
  const expected = [
    ['colour', 2],
    ['size', 1],
  ];
  expect((await listed()).toSorted()).toEqual(expected);
  expect(await listed(costing.stranger)).toEqual([['colour', 1]]);
});

it('unknown fields of new events only are recorded', async () => {
  const record = async (outcome: 'new' | 'resent', seconds: number) => {
    const source = { ...ingestionSource(costing.live.principal, new Date(Date.UTC(2026, 2, 1) + seconds * 1_000)) };
    const outcomes = [{ draft: { unknownFields: ['colour'] }, acceptance: { outcome, eventId: randomUUID() } }];
    await recordUnknownFieldsOf(costing.database, source, outcomes as unknown as Outcome[], log);
  };
  await record('new', 0);
  await record('resent', 2);
  expect(await listed()).toEqual([['colour', 1]]);
  await record('new', 4);
  expect(await listed()).toEqual([['colour', 2]]);
});
