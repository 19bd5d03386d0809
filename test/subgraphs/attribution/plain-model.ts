/** Computes the expected results from a list of facts: no rollups, no SQL, one fact at a time. */
import { endUserId } from '#kernel/end-user-id.ts';
import { approximate, money, type Money, plain, sum } from '#kernel/money.ts';
import type { CostFact } from '#schema/priced-feed.ts';

export interface Window {
  readonly start: string;
  readonly end: string;
}

function toMicros(iso: string): bigint {
  const [whole = '', fraction = ''] = iso.slice(0, -1).split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

type Group = { readonly facts: CostFact[] };

const MONEY = ['totalCost', 'inputCost', 'outputCost'] as const;
const MONEY_OR_NULL = ['cacheCreationCost', 'cacheReadCost', 'reasoningCost'] as const;
const TOKENS = ['inputTokens', 'outputTokens'] as const;
const TOKENS_OR_NULL = ['cacheCreationInputTokens', 'cacheReadInputTokens', 'reasoningTokens'] as const;

export const within = (facts: readonly CostFact[], { start, end }: Window) =>
  facts.filter(({ eventTime }) => toMicros(eventTime) >= toMicros(start) && toMicros(eventTime) < toMicros(end));

export const costOf = (facts: readonly CostFact[]): Money => sum(facts.map(({ totalCost }) => money(totalCost)));
const eventsOf = (facts: readonly CostFact[]): number => facts.filter(({ sequence }) => sequence === 0).length;
export const byCodePoint = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

export function valueOf(fact: CostFact, key: string): string {
  if (key === 'model') return fact.modelSlug;
  if (key === 'provider') return fact.providerName;
  return fact.dimensions[key] ?? 'Unassigned';
}

/** Groups of facts, costliest first, then by name. */
export function groups(facts: readonly CostFact[], name: (fact: CostFact) => string): (Group & { name: string })[] {
  return [...Map.groupBy(facts, name)]
    .map(([key, members]) => ({ name: key, facts: members }))
    .sort((one, other) => costOf(other.facts).comparedTo(costOf(one.facts)) || byCodePoint(one.name, other.name));
}

const shareOf = (part: Money, whole: Money) =>
  whole.isZero() ? 0 : approximate(part.times(100).div(whole).toDecimalPlaces(2));

export function figuresOf(facts: readonly CostFact[], total: Money): Record<string, unknown> {
  const orNull = <T>(field: keyof CostFact, add: (values: string[]) => T): T | null => {
    const reported = facts.flatMap((fact) => (fact[field] === null ? [] : [String(fact[field])]));
    return reported.length === 0 ? null : add(reported);
  };
  const amount = (values: string[]) => plain(sum(values.map(money)));
  const count = (values: string[]) => values.reduce((sum, value) => sum + Number(value), 0);
  return {
    ...Object.fromEntries(MONEY.map((field) => [field, orNull(field, amount) ?? '0'])),
    ...Object.fromEntries(MONEY_OR_NULL.map((field) => [field, orNull(field, amount)])),
    ...Object.fromEntries(TOKENS.map((field) => [field, orNull(field, count) ?? 0])),
    ...Object.fromEntries(TOKENS_OR_NULL.map((field) => [field, orNull(field, count)])),
    eventCount: eventsOf(facts),
    percentOfTotal: shareOf(costOf(facts), total),
  };
}

export function byModel(facts: readonly CostFact[]): unknown {
  const total = costOf(facts);
  const items = groups(facts, ({ modelSlug, providerSlug }) => JSON.stringify([modelSlug, providerSlug]))
    .sort(
      (one, other) =>
        costOf(other.facts).comparedTo(costOf(one.facts)) ||
        byCodePoint(JSON.parse(one.name).join('\0'), JSON.parse(other.name).join('\0')),
    )
    .map(({ name, facts: members }) => {
      const [modelSlug, providerSlug] = JSON.parse(name) as string[];
      return { modelSlug, providerSlug, ...figuresOf(members, total) };
    });
  return { items, totalCost: plain(total) };
}

export function byProvider(facts: readonly CostFact[]): unknown {
  const total = costOf(facts);
  const items = [
    ...Map.groupBy(facts, (fact) =>
      JSON.stringify([fact.providerId, fact.providerSlug, fact.providerSlug === 'unknown' ? fact.providerName : null]),
    ),
  ]
    .map(([, members]) => {
      const reported = members.filter(({ providerReported }) => providerReported !== false);
      const named = reported.length > 0 ? reported : members;
      const names = [...Map.groupBy(named, ({ providerName }) => providerName)].sort(
        ([one, ofOne], [other, ofOther]) => eventsOf(ofOther) - eventsOf(ofOne) || byCodePoint(one, other),
      );
      const first = members[0] as CostFact;
      return {
        providerId: first.providerId,
        providerSlug: first.providerSlug,
        providerName: names[0]?.[0] ?? '',
        members,
      };
    })
    .sort(
      (one, other) =>
        costOf(other.members).comparedTo(costOf(one.members)) || byCodePoint(one.providerName, other.providerName),
    )
    .map(({ members, ...identity }) => ({
      ...identity,
      totalCost: plain(costOf(members)),
      eventCount: eventsOf(members),
      percentOfTotal: shareOf(costOf(members), total),
    }));
  return { items, totalCost: plain(total) };
}

export function byAttribution(facts: readonly CostFact[], key: string, limit: number): unknown {
  const all = groups(facts, (fact) => valueOf(fact, key));
  const total = costOf(facts);
  return {
    items: all
      .slice(0, limit)
      .map(({ name, facts: members }) => ({ attributionValue: name, ...figuresOf(members, total) })),
    totalCost: plain(total),
    totalGroups: all.length,
    truncated: all.length > limit,
  };
}

export function values(facts: readonly CostFact[], key: string): string[] {
  return [...new Set(facts.map((fact) => valueOf(fact, key)))]
    .filter((value) => value !== 'Unassigned')
    .sort(byCodePoint);
}

export function series(facts: readonly CostFact[], window: Window, key: string, label = key): unknown {
  const { dates, dateOf } = buckets(window);
  const byDate = Map.groupBy(facts, ({ eventTime }) => dateOf(eventTime));
  return {
    key,
    label,
    dataPoints: dates.map((date) => ({
      date,
      cost: plain(costOf(byDate.get(date) ?? [])),
      eventCount: eventsOf(byDate.get(date) ?? []),
    })),
  };
}

export function topSeries(facts: readonly CostFact[], window: Window, key: string): unknown[] {
  const all = groups(facts, (fact) => valueOf(fact, key))
    .filter(({ name }) => name !== 'Other')
    .slice(0, 5);
  const top = new Set(all.map(({ name }) => name));
  const rest = facts.filter((fact) => !top.has(valueOf(fact, key)));
  return [...all.map(({ name, facts: members }) => series(members, window, name)), series(rest, window, 'Other')];
}

export function granularityOf(window: Window): string {
  const days = Number(toMicros(window.end) - toMicros(window.start)) / 86_400_000_000;
  return days <= 30 ? 'daily' : days <= 90 ? 'weekly' : 'monthly';
}

/** Advances from the first bucket, one day at a time. */
function buckets(window: Window): { dates: string[]; dateOf(iso: string): string } {
  const granularity = granularityOf(window);
  const dateOf = (iso: string): string => {
    const day = iso.slice(0, 10);
    if (granularity === 'daily') return day;
    if (granularity === 'monthly') return `${day.slice(0, 7)}-01`;
    let monday = new Date(`${day}T00:00:00Z`);
    while (monday.getUTCDay() !== 1) monday = new Date(monday.getTime() - 86_400_000);
    return monday.toISOString().slice(0, 10);
  };
  const dates = new Set<string>();
  for (
    let at = Date.parse(`${window.start.slice(0, 10)}T00:00:00Z`);
    BigInt(at) * 1000n < toMicros(window.end);
    at += 86_400_000
  ) {
    dates.add(dateOf(new Date(at).toISOString()));
  }
  return { dates: [...dates], dateOf };
}

/** As `endUserCostLines`, by UTC day. `facts` contains the facts of the window. */
export function endUserCostDays(
  all: readonly CostFact[],
  facts: readonly CostFact[],
  organizationId: string,
  others: readonly string[],
): unknown {
  const dayOf = (fact: CostFact) => new Date(fact.eventTime).toISOString().slice(0, 10);
  const days = [...new Set(facts.map(dayOf))].sort();
  const costs = (members: readonly CostFact[]) =>
    days.flatMap((day, index) => {
      const ofDay = members.filter((fact) => dayOf(fact) === day);
      return ofDay.length === 0 ? [] : [[index, plain(costOf(ofDay))]];
    });
  const everybody = new Set([...others, ...all.flatMap((fact) => fact.endUserExternalId ?? [])]);
  const unassigned = facts.filter((fact) => fact.endUserExternalId === null);
  return {
    days,
    endUsers: [...everybody].sort(byCodePoint).map((externalId) => {
      const own = facts.filter((fact) => fact.endUserExternalId === externalId);
      return [endUserId(organizationId, externalId), externalId, eventsOf(own), costs(own)];
    }),
    unassigned: { count: eventsOf(unassigned), costs: costs(unassigned) },
  };
}

/** `all`: the facts of all times, because every existing end user is listed. */
export function endUserCostLines(
  all: readonly CostFact[],
  facts: readonly CostFact[],
  organizationId: string,
  others: readonly string[],
): unknown {
  const some = (members: readonly CostFact[]) => ({ cost: plain(costOf(members)), count: eventsOf(members) });
  const everybody = new Set([...others, ...all.flatMap((fact) => fact.endUserExternalId ?? [])]);
  return {
    endUsers: [...everybody].sort(byCodePoint).map((externalId) => {
      const { cost, count } = some(facts.filter((fact) => fact.endUserExternalId === externalId));
      return [endUserId(organizationId, externalId), externalId, cost, count];
    }),
    unassigned: some(facts.filter((fact) => fact.endUserExternalId === null)),
    total: some(facts),
  };
}
