/** `BILL_DIFFERENCE` and `BILL_NOT_PULLED`: providers' bills, grouped by connection. */
import { type Money, money, plain, sum } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { graphql } from '#schema/graphql.ts';
import { BILL_DAYS } from '../config.ts';
import { exact, type Verdict } from '../detection/verdict.ts';
import { judgeThreshold, type ThresholdMemory } from '../detection/threshold.ts';
import { PAGES } from '../figures/page-path.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleAt, unsettledGroups } from './judged.ts';

const CONNECTIONS = graphql(`query AlertBillConnections { billConnections { id name lastDay lastError } }`);
const DAYS = graphql(`query AlertBillDays($start: Instant!, $end: Instant!) {
  billDays(start: $start, end: $end) { connectionId day isUnexplained differences { unexplained unknownCurrency fix { id } } }
}`);

/**
 * Fires while the unexplained amounts of settled days reach the floor, or a settled day is in a currency whose exchange
 * rate is unknown. Amounts in such a currency are not added up.
 */
export async function evaluateBillDifferences(rule: RuleAt): Promise<GroupJudgement[]> {
  const { at, read } = rule;
  const { billConnections } = await read(CONNECTIONS, {});
  const window = { start: new Date(at.getTime() - BILL_DAYS * DAY_MS).toISOString(), end: at.toISOString() };
  const billDays = billConnections.length === 0 ? [] : (await read(DAYS, window)).billDays;
  const names = new Map(billConnections.map(({ id, name }) => [id, name]));
  return [...new Set([...names.keys(), ...unsettledGroups(rule)])].map((groupKey) => {
    const days = billDays
      .filter((day) => day.connectionId === groupKey && day.isUnexplained)
      .map(({ day, differences }) => ({ day, open: differences.filter(({ fix }) => fix === null) }));
    const value = total(days.flatMap(({ open }) => open.map(({ unexplained }) => unexplained ?? '0')));
    const unknown = days.filter(({ open }) => open.some(({ unknownCurrency }) => unknownCurrency !== null));
    const currencies = new Set(
      unknown.flatMap(({ open }) => open.flatMap(({ unknownCurrency }) => unknownCurrency ?? [])),
    );
    const name = names.get(groupKey) ?? 'A deleted source';
    return {
      groupKey,
      groupName: name,
      severity: 'WARNING',
      judgement: plainJudgement(
        unknown.length > 0
          ? FIRING
          : judgeThreshold(
              // The rule also fires at the floor itself. A threshold excludes its own value, so the value just below
              // the floor is stated.
              { value: plain(value), comparator: 'ABOVE', threshold: belowFloor(rule), unit: 'usd' },
              memoryOf<ThresholdMemory>(rule, groupKey),
            ),
      ),
      evidence: {
        sentence:
          days.length === 0
            ? `The bill from ${name} and the books agree, or the difference is explained.`
            : [
                ...(value.isZero()
                  ? []
                  : [
                      `The bill from ${name} and the books differ by ${plain(value)} without an explanation, on ${daysSince(days)}.`,
                    ]),
                ...(unknown.length === 0
                  ? []
                  : [
                      `The bill from ${name} is in ${[...currencies].sort().join(', ')} at an unknown exchange rate, on ${daysSince(unknown)}.`,
                    ]),
              ].join(' '),
        figures: [exact('unexplained', plain(value), 'usd'), exact('days', String(days.length), 'count')],
        windowStart: window.start,
        windowEnd: window.end,
        computedAt: at.toISOString(),
        query: { document: DAYS, variables: window },
        path: PAGES.bills,
      },
    };
  });
}

const FIRING = { state: 'FIRING', memory: { state: 'FIRING' }, end: null } as const;

function daysSince(days: readonly { readonly day: string }[]): string {
  return `${days.length} ${days.length === 1 ? 'day' : 'days'} since ${days[0]!.day}`;
}

function total(amounts: readonly string[]): Money {
  return sum(amounts.map((amount) => money(amount).abs()));
}

const SMALLEST = money('1e-15');

function belowFloor({ rule }: RuleAt): string {
  return plain(money(rule.parameters.floor ?? '0').minus(SMALLEST));
}

/** Fires while the newest bill is older than the rule's days, and while the first bill cannot be pulled. */
export async function evaluateBillAges(rule: RuleAt): Promise<GroupJudgement[]> {
  const { at, read } = rule;
  const { billConnections } = await read(CONNECTIONS, {});
  const connections = new Map(billConnections.map((connection) => [connection.id, connection]));
  return [...new Set([...connections.keys(), ...unsettledGroups(rule)])].map((groupKey) => {
    const { name, lastDay, lastError } = connections.get(groupKey) ?? {
      name: 'A deleted source',
      lastDay: null,
      lastError: null,
    };
    const age = lastDay === null ? null : Math.floor((at.getTime() - Date.parse(`${lastDay}T00:00:00Z`)) / DAY_MS) - 1;
    const value = age === null ? null : String(Math.max(0, age));
    const verdict =
      value === null
        ? withoutBill(lastError)
        : judgeThreshold(
            { value, comparator: 'ABOVE', threshold: rule.rule.parameters.value ?? '0', unit: 'count' },
            memoryOf<ThresholdMemory>(rule, groupKey),
          );
    const reason = lastError === null ? '' : `: ${lastError}`;
    return {
      groupKey,
      groupName: name,
      severity: 'WARNING',
      judgement: plainJudgement(verdict),
      evidence: {
        sentence:
          value === null
            ? `${name} has no bill yet${reason}.`
            : `The newest bill from ${name} ended ${value} ${value === '1' ? 'day' : 'days'} ago${reason}.`,
        figures: value === null ? [] : [exact('age_days', value, 'count')],
        windowStart: at.toISOString(),
        windowEnd: at.toISOString(),
        computedAt: at.toISOString(),
        query: { document: CONNECTIONS, variables: {} },
        path: PAGES.bills,
      },
    };
  });
}

function withoutBill(lastError: string | null): Pick<Verdict<ThresholdMemory | null>, 'state' | 'memory' | 'end'> {
  return lastError === null ? { state: 'OK', memory: null, end: 'NOT_APPLICABLE' } : FIRING;
}
