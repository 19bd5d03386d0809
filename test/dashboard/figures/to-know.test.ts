/** The list "Needs attention", for people who can fix its items and for all others. */
import { expect, it } from 'vitest';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { anonymous } from '#platform/principal.ts';
import { correctionMarks } from '../../../dashboard/figures/corrections.ts';
import { toKnow } from '../../../dashboard/figures/to-know.ts';
import { print } from '../../../dashboard/shell/html.ts';

const COSTS = {
  costSummary: { statusCounts: { failed: 0, pending: 0, pendingRateCard: 0 } },
  unknownFields: [],
  window: { guessedEvents: 0, eventsAtBase: 0, warnings: [] },
  credits: { creditsLeft: null, allotment: null, softLimit: null },
};
const STANDING = {
  books: { state: 'VERIFIED' },
  revenueConnection: { state: 'CONNECTED', error: null, unmappedCustomerCount: 0 },
};

/** The texts of all lines, for an owner unless `grants` says otherwise. */
async function lines(costs: object, standing: object = {}, warnings: readonly object[] = [], grants = ['owner']) {
  const gateway = {
    execute: () => Promise.resolve({ data: { ...STANDING, ...standing } }),
  } as unknown as GatewayClient;
  const margin = { total: { totalRevenue: '0', unattributedCost: '0' }, warnings };
  const figures = { costs: { ...COSTS, ...costs }, margin } as never;
  const shown = await toKnow(gateway, { ...anonymous('test'), grants }, figures);
  return shown === false ? [] : [...print(shown).matchAll(/<li>([^<]*)/g)].map(([, text]) => text!.trim());
}
const counts = (more: object) => ({ costSummary: { statusCounts: { ...COSTS.costSummary.statusCounts, ...more } } });
const credits = (creditsLeft: number | null, softLimit: number | null = 90) => ({
  credits: { creditsLeft, allotment: 100, softLimit },
});

it.each<[string, object, RegExp | null]>([
  ['nothing', {}, null],
  ['a failed event', counts({ failed: 1 }), /^1 event could not be priced/],
  ['pending events', counts({ pending: 2 }), /^2 events are being priced/],
  ['events without a rate', counts({ pendingRateCard: 2 }), /^2 events have no price yet/],
  ['guessed costs', { window: { ...COSTS.window, guessedEvents: 1 } }, /^1 cost is estimated/],
  ['costs at the base rate', { window: { ...COSTS.window, eventsAtBase: 2 } }, /^2 costs ignore the tier/],
  [
    'a field that was ignored',
    { unknownFields: [{ lastSeenAt: new Date().toISOString() }] },
    /^1 field of your events/,
  ],
  ['a field that was ignored long ago', { unknownFields: [{ lastSeenAt: '2020-01-01T00:00:00Z' }] }, null],
  ['credits that are used up', credits(0), /^Event credits are used up/],
  ['credits at the soft limit', credits(10), /^Only 10 event credits are left/],
  ['credits below the soft limit', credits(11), null],
  ['credits without a soft limit', credits(1, null), null],
  ['no limit of credits', credits(null), null],
])('the overview explains %s', async (_, costs, expected) => {
  expect(await lines(costs)).toEqual(expected === null ? [] : [expect.stringMatching(expected)]);
});

it.each<[string, object, readonly string[], RegExp | null]>([
  ['differing books', { books: { state: 'DIFFERING' } }, [], /^Verification found differences/],
  [
    'a failing sync',
    { revenueConnection: { state: 'FAILING', error: 'No', unmappedCustomerCount: 0 } },
    [],
    /failing: No$/,
  ],
  ['unmatched customers', unmapped(2), ['unattributed_revenue'], /^2 Stripe customers are not linked/],
  ['unmatched revenue', unmapped(0), ['unattributed_revenue'], /^3 revenue records are not linked/],
])('the overview explains %s, and only once', async (_, standing, warnings, expected) => {
  const given = warnings.map((type) => ({ type, count: 3, message: '' }));
  expect(await lines({}, standing, given)).toEqual(expected === null ? [] : [expect.stringMatching(expected)]);
  // The state of the service is read only for owners and admins.
  expect(await lines({}, standing, [], ['member'])).toEqual([]);
});

function unmapped(unmappedCustomerCount: number) {
  return { revenueConnection: { state: 'CONNECTED', error: null, unmappedCustomerCount } };
}

it('corrections are marked on the day on which they were booked, with their own sum', () => {
  const correction = (bookedAt: string, totalCost: string, entryCount: number) => ({
    bookedAt,
    month: '2026-09',
    totalCost,
    entryCount,
  });
  const marks = correctionMarks([correction('a', '1', 1), correction('b', '5', 1), correction('a', '-0.25', 2)]);
  expect(marks.map(({ at, name }) => [at, name])).toEqual([
    ['a', '$0.75, 3 entries'],
    ['b', '$5.00, 1 entry'],
  ]);
});
