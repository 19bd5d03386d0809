/** A hold as the graph returns it: every field of the row, under its own name. */
import { expect, it } from 'vitest';
import { toHoldView } from '../../../../subgraphs/costing/holds/hold-view.ts';

type Row = Parameters<typeof toHoldView>[0];

const ROW = {
  ...{ id: 'id', idempotencyKey: 'key', endUser: 'ann', agent: 'support', model: 'gpt-4o', amount: '1.5' },
  ...{ state: 'settled', because: 'within_allowance', openedAt: '2026-03-01T00:00:00.000Z' },
  ...{ expiresAt: '2026-03-02T00:00:00.000Z', closedAt: '2026-03-03T00:00:00.000Z', eventId: 'event', cost: '0.5' },
} as Row;

it('a hold has its own times, and its end user as an entity', () => {
  expect(toHoldView(ROW)).toEqual({
    ...ROW,
    ...{ endUser: { externalId: 'ann' }, state: 'SETTLED', because: 'WITHIN_ALLOWANCE' },
    ...{ openedAt: new Date(ROW.openedAt), expiresAt: new Date(ROW.expiresAt), closedAt: new Date(ROW.closedAt!) },
  });
  expect(toHoldView({ ...ROW, endUser: null, closedAt: null })).toMatchObject({ endUser: null, closedAt: null });
});
