import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinPieces, printInSlices } from '#platform/print-in-slices.ts';
import { joinInSlices, mapInSlices, pace, sortInSlices } from '#platform/slices.ts';
import { parseExactJson, printExactJson } from '#kernel/json/exact-json.ts';
import { PrintedList } from '#kernel/json/printed-list.ts';
import { costLines } from '../../subgraphs/attribution/breakdowns/cost-lines.step.ts';
import { compareMargin } from '../../subgraphs/revenue/margin/compare-in-slices.step.ts';
import { byMargin } from '../../subgraphs/revenue/margin/compare-margin.ts';
import { countTurns } from '../support/count-turns.ts';

const END_USERS = 120_000;
/**
 * Minimum number of event-loop ticks for others while a margin of this many end users is computed. Without slices
 * there would be one.
 */
const TURNS_MIN = 10;

describe('computing a margin over many end users yields to the event loop', () => {
  const rows = Array.from({ length: END_USERS }, (_, index) => ({
    endUserId: `id-${index}`,
    externalId: `user-${index}`,
    totalCost: `${(index * 7_919) % 1_000}.000000000000001`,
    eventCount: '3',
  }));

  it('while costs are transferred, compared and printed', async () => {
    const handedOver = await countTurns(() =>
      costLines([...rows, { endUserId: '0', externalId: null, totalCost: '2', eventCount: '1' }]),
    );
    expect(handedOver.turns).toBeGreaterThan(TURNS_MIN);
    expect(handedOver.result).toMatchObject({
      unassigned: { cost: '2', count: 1 },
      total: { count: 3 * END_USERS + 1 },
    });
    const customers = rows.map(({ externalId }) => ({
      customerId: externalId,
      name: null,
      externalId,
      revenue: 500n * 10n ** 15n,
      records: 1,
      starting: '500',
    }));
    const compared = await countTurns(() => compareMargin(handedOver.result, customers));
    expect(compared.turns).toBeGreaterThan(TURNS_MIN);
    const { endUsers } = compared.result;
    expect(endUsers).toHaveLength(END_USERS);
    const sorted = await countTurns(() => sortInSlices(endUsers, byMargin));
    expect(sorted.turns).toBeGreaterThan(1);
    expect(
      sorted.result.every(
        ({ margin }, index) => index === 0 || sorted.result[index - 1]!.margin.amount <= margin.amount,
      ),
    ).toBe(true);
    const list = endUsers.map(({ id, name }) => ({
      end_user_id: id,
      end_user_name: name,
      cost: '1',
      revenue: '2',
      margin_amount: '3',
      margin_percent: 4.5,
    }));
    const printed = await countTurns(() => printInSlices({ end_users: list, org_total: {} }));
    expect(printed.turns).toBeGreaterThan(1);
    expect(printed.result.join('')).toBe(JSON.stringify({ end_users: list, org_total: {} }));
  });
});

describe('in slices', () => {
  it('long tasks take turns: one slice of one of them in each event-loop tick', async () => {
    const turns: number[] = [];
    let turn = 0;
    const count = () => {
      if (turns.length < 60) {
        turn++;
        setImmediate(count);
      }
    };
    const works = [1, 2, 3].map(async () => {
      const { rest } = pace();
      for (let slice = 0; slice < 20; slice++) {
        await rest();
        turns.push(turn);
      }
    });
    setImmediate(count);
    await Promise.all(works);
    expect(new Set(turns).size).toBe(turns.length);
  });

  it('a list is mapped and sorted as in one step, with equal items in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 6_000 }), async (numbers) => {
        const items = numbers.map((key, place) => ({ key, place }));
        const byKey = (one: { key: number }, other: { key: number }) => one.key - other.key;
        expect(await sortInSlices(items, byKey)).toEqual(items.toSorted(byKey));
        expect(await mapInSlices(numbers, (number, index) => number + index)).toEqual(
          numbers.map((number, index) => number + index),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('a response is printed as in one step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), fc.nat(900), async (value, copies) => {
        for (const one of [
          value,
          { list: Array(copies).fill(value), none: undefined, at: new Date(0), deep: [[{ value }]] },
        ]) {
          expect(joinPieces(await printInSlices(one))).toBe(printExactJson(one));
        }
      }),
      { numRuns: 100 },
    );
    const exact = parseExactJson('{"a":[9007199254740993],"b":0.12345678901234567890}');
    expect(joinPieces(await printInSlices(exact))).toBe('{"a":[9007199254740993],"b":0.12345678901234567890}');
    const printed = { list: new PrintedList(['{"a":9007199254740993}', '1']), none: new PrintedList([]) };
    expect(joinPieces(await printInSlices(printed))).toBe('{"list":[{"a":9007199254740993},1],"none":[]}');
    expect(printExactJson(printed)).toBe('{"list":[{"a":9007199254740993},1],"none":[]}');
    const bare = Object.assign(Object.create(null) as object, { a: null });
    expect(joinPieces(await printInSlices(bare))).toBe('{"a":null}');
  });
});

it('joining pieces of bytes yields to the event loop', async () => {
  const pieces = Array.from({ length: 1_024 }, (_, index) => Buffer.alloc(64 * 1_024, index));
  const { turns, result } = await countTurns(() => joinInSlices(pieces));
  expect(result.equals(Buffer.concat(pieces))).toBe(true);
  // With `Buffer.concat`, other work would get no event-loop tick.
  expect(turns).toBeGreaterThan(1);
});

it('an empty list is joined to an empty text, and a single piece is returned unchanged', async () => {
  const [piece] = [Buffer.from('a')];
  expect(await joinInSlices([])).toHaveLength(0);
  expect(await joinInSlices([piece])).toBe(piece);
});
