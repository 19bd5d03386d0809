/** Which version of an outcome counts does not depend on the order in which versions arrive. */
import { expect, it } from 'vitest';
import { requireInstant } from '#kernel/time/instant.ts';
import { parseOutcome, type SentOutcome } from '../../../../subgraphs/attribution/outcomes/parse-outcome.ts';
import { settleStatements } from '../../../../subgraphs/attribution/outcomes/settle-statements.ts';

const RECEIVED = requireInstant('received', '2026-03-02T00:00:00Z');

function stated(value: string, statedAt: string | null = '2026-03-01T12:00:00Z'): SentOutcome {
  const item = { key: 'k', name: 'n', succeeded: true, at: '2026-03-01T10:00:00Z', value, stated_at: statedAt };
  const parsed = parseOutcome(item);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.outcome;
}

/** The value that counts after these versions have arrived, one request each. */
function valueAfter(versions: readonly SentOutcome[]): string | null | undefined {
  let last: Parameters<typeof settleStatements>[1]['last'] = [];
  let value: string | null | undefined;
  for (const version of versions) {
    const { current } = settleStatements([version], { last, fingerprints: new Set() }, RECEIVED);
    const [counts] = current;
    if (counts === undefined) continue;
    value = counts.value;
    const { key, fingerprint, versions: count, statedAt } = counts;
    last = [{ key, fingerprint, versions: count, statedAt: requireInstant('stated_at', statedAt) }];
  }
  return value;
}

it('an outcome has at most 50 keys of metadata', () => {
  const parse = (count: number) =>
    parseOutcome({
      ...{ key: 'k', name: 'n', succeeded: true, at: '2026-03-01T10:00:00Z' },
      metadata: Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, index])),
    });
  expect(parse(50)).toMatchObject({ ok: true });
  expect(parse(51)).toMatchObject({ ok: false, message: 'metadata must not have more than 50 keys' });
});

it('if versions are stated at the same time, the same one counts in whatever order they arrive', () => {
  const [one, two, three] = ['1', '2', '3'].map((value) => stated(value)) as [SentOutcome, SentOutcome, SentOutcome];
  const orders = [
    [one, two, three],
    [one, three, two],
    [two, one, three],
    [two, three, one],
    [three, one, two],
    [three, two, one],
  ];
  expect(new Set(orders.map(valueAfter)).size).toBe(1);
  // The result is the same if the versions arrive in one request.
  const together = orders.map(
    (sent) => settleStatements(sent, { last: [], fingerprints: new Set() }, RECEIVED).current[0]?.value,
  );
  expect(new Set(together)).toEqual(new Set([valueAfter([one, two, three])]));
});

it('if versions are stated at different times, the later one counts in whatever order they arrive', () => {
  const versions = [stated('1', '2026-03-01T12:00:01Z'), stated('2', '2026-03-01T12:00:00Z')];
  expect([valueAfter(versions), valueAfter(versions.toReversed())]).toEqual(['1', '1']);
});

it('if versions have no time of statement, or one in the future, the last to arrive counts', () => {
  for (const time of [null, '2026-03-02T00:00:00.000001Z'])
    for (const order of [
      ['1', '2', '3'],
      ['3', '2', '1'],
      ['2', '1', '3'],
    ]) {
      // All of them arrive in the same instant.
      const sent = order.map((value) => stated(value, time));
      expect([order, valueAfter(sent)]).toEqual([order, order[2]]);
      expect(settleStatements(sent, { last: [], fingerprints: new Set() }, RECEIVED).current[0]?.value).toBe(order[2]);
    }
});
