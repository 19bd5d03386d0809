import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { creditBalance } from '../../../../subgraphs/costing/credits/credit-balance.ts';
import { planOf } from '../../../../subgraphs/costing/credits/plan-of.ts';
import { type CreditAccount, isUnlimited, renewed } from '../../../../subgraphs/costing/credits/credit-account.ts';
import { spendCredits } from '../../../../subgraphs/costing/credits/spend-credits.ts';

const NOW = new Date('2026-03-15T12:00:00Z');
const at = (text: string) => new Date(text);
const plan = (left: number, renewsAt: string | null = '2026-04-01T00:00:00Z', renewalDay = 1, size = 100) => ({
  size,
  left,
  renewsAt: renewsAt === null ? null : at(renewsAt),
  renewalDay,
});
const pack = (id: string, left: number, expiresAt: string) => ({ id, left, expiresAt: at(expiresAt) });

describe('who pays', () => {
  test('without a plan or pack there is no limit, and nothing is spent', () => {
    const account = { allotment: null, packs: [] };
    expect(isUnlimited(account)).toBe(true);
    expect(spendCredits(account, NOW, 1_000_000)).toEqual({
      covered: 1_000_000,
      fromAllotment: 0,
      fromPacks: [],
      account,
    });
  });

  test('the allotment first, then the pack that expires first', () => {
    const packs = [
      pack('late', 5, '2027-01-01T00:00:00Z'),
      pack('soon', 3, '2026-03-16T00:00:00Z'),
      pack('past', 9, '2026-03-15T12:00:00Z'),
    ];
    expect(spendCredits({ allotment: plan(2), packs }, NOW, 7)).toEqual({
      covered: 7,
      fromAllotment: 2,
      fromPacks: [
        { id: 'soon', taken: 3 },
        { id: 'late', taken: 2 },
      ],
      account: {
        allotment: plan(0),
        packs: [pack('late', 3, '2027-01-01T00:00:00Z'), pack('soon', 0, '2026-03-16T00:00:00Z'), packs[2]],
      },
    });
  });

  test('if there are too few credits, they pay for as many events as possible', () => {
    const packs = [pack('a', 3, '2027-01-01T00:00:00Z')];
    expect(spendCredits({ allotment: plan(2), packs }, NOW, 100)).toMatchObject({
      covered: 5,
      fromAllotment: 2,
      fromPacks: [{ id: 'a', taken: 3 }],
    });
  });

  test('of two packs that expire at the same time, the lower id is used first', () => {
    const packs = [pack('b', 3, '2027-01-01T00:00:00Z'), pack('a', 3, '2027-01-01T00:00:00Z')];
    expect(spendCredits({ allotment: null, packs }, NOW, 1).fromPacks).toEqual([{ id: 'a', taken: 1 }]);
  });

  test.each([
    ['a pack that expires now', { allotment: null, packs: [pack('a', 3, '2026-03-15T12:00:00Z')] }],
    ['a pack that is used up', { allotment: null, packs: [pack('a', 0, '2027-01-01T00:00:00Z')] }],
    ['an allotment that is used up', { allotment: plan(0), packs: [] }],
    ['an allotment below zero', { allotment: plan(-4), packs: [] }],
  ] satisfies [string, CreditAccount][])('%s covers nothing, and does not lift the limit', (_, account) => {
    expect(spendCredits(account, NOW, 2)).toEqual({ covered: 0, fromAllotment: 0, fromPacks: [], account });
  });

  test('an allotment that is due is renewed before it is spent', () => {
    expect(spendCredits({ allotment: plan(0, '2026-03-15T12:00:00Z', 15), packs: [] }, NOW, 3)).toMatchObject({
      covered: 3,
      fromAllotment: 3,
      account: { allotment: { left: 97, renewsAt: at('2026-04-15T12:00:00Z') } },
    });
  });
});

describe('renewal', () => {
  test.each([
    ['2026-01-31T00:00:00Z', 31, '2026-01-30T23:59:59.999Z', null],
    ['2026-01-31T00:00:00Z', 31, '2026-01-31T00:00:00Z', '2026-02-28T00:00:00Z'],
    ['2026-02-28T00:00:00Z', 31, '2026-02-28T00:00:00Z', '2026-03-31T00:00:00Z'],
    ['2026-03-31T00:00:00Z', 31, '2026-04-01T00:00:00Z', '2026-04-30T00:00:00Z'],
    ['2024-01-30T10:30:00Z', 30, '2024-02-29T10:29:59Z', '2024-02-29T10:30:00Z'],
    ['2024-01-30T10:30:00Z', 30, '2024-02-29T10:30:00Z', '2024-03-30T10:30:00Z'],
    ['2025-11-15T08:00:00Z', 15, '2026-03-15T07:59:59Z', '2026-03-15T08:00:00Z'],
    ['2025-12-01T00:00:00Z', 1, '2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z'],
    ['2016-02-29T00:00:00Z', 29, '2026-02-28T00:00:00Z', '2026-03-29T00:00:00Z'],
  ])('due %s on day %i, seen %s → %s', (renewsAt, day, now, next) => {
    const account = { allotment: plan(7, renewsAt, day), packs: [] };
    expect(renewed(account, at(now))).toEqual(next === null ? account : { allotment: plan(100, next, day), packs: [] });
  });

  test('never, if no renewal is set', () => {
    const account = { allotment: plan(7, null), packs: [] };
    expect(renewed(account, NOW)).toBe(account);
  });

  test('one late check has the same result as a check every month', () => {
    const aDate = fc.date({ min: at('2020-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(aDate, fc.integer({ min: 0, max: 1500 }), (first, days) => {
        const now = new Date(first.getTime() + days * 86_400_000);
        const start: CreditAccount = {
          allotment: { size: 9, left: 1, renewsAt: first, renewalDay: first.getUTCDate() },
          packs: [],
        };
        let monthly = start;
        while (monthly.allotment!.renewsAt! <= now) monthly = renewed(monthly, monthly.allotment!.renewsAt!);
        expect(renewed(start, now)).toEqual(monthly);
      }),
    );
  });
});

describe('a plan', () => {
  test.each([
    ['keeps what was used of its period', '2026-04-01T00:00:00Z', 30],
    ['starts anew if its renewal is due', '2026-03-15T12:00:00Z', 50],
  ])('a plan that is changed %s', (_, renewsAt, left) => {
    const changed = planOf({ allotment: plan(80, renewsAt), packs: [] }, { allotment: 50 }, NOW);
    expect(changed).toMatchObject({ allotment: 50, left, softLimit: 40, renewsAt: at('2026-04-15T12:00:00Z') });
  });

  test('can have a soft limit of 0', () => {
    expect(planOf({ allotment: null, packs: [] }, { allotment: 50, softLimit: 0 }, NOW).softLimit).toBe(0);
  });
});

test('a pack counts in the balance until its expiry', () => {
  const packs = [pack('now', 3, '2026-03-15T12:00:00Z'), pack('later', 2, '2026-03-15T12:00:00.001Z')];
  expect(creditBalance('org', { allotment: null, packs }, null, NOW)).toMatchObject({
    allotmentLeft: null,
    packsLeft: 2,
    creditsLeft: 2,
  });
});

test('credits are neither made nor lost, and splitting a batch changes nothing', () => {
  const anAccount = fc.record({
    allotment: fc.option(fc.nat(30).map((left) => plan(left))),
    packs: fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 2 }),
        left: fc.nat(20),
        expiresAt: fc.constantFrom(at('2026-03-01T00:00:00Z'), at('2026-04-01T00:00:00Z'), at('2027-01-01T00:00:00Z')),
      }),
      { selector: ({ id }) => id, maxLength: 5 },
    ),
  });
  const total = ({ allotment, packs }: CreditAccount) =>
    packs.reduce((sum, { left }) => sum + left, allotment?.left ?? 0);
  fc.assert(
    fc.property(anAccount, fc.nat(60), fc.nat(60), (account, first, second) => {
      fc.pre(!isUnlimited(account));
      const whole = spendCredits(account, NOW, first + second);
      const one = spendCredits(account, NOW, first);
      const two = spendCredits(one.account, NOW, second);
      expect(two.account).toEqual(whole.account);
      expect(one.covered + two.covered).toBe(whole.covered);
      expect(total(account) - total(whole.account)).toBe(whole.covered);
    }),
  );
});
