/** Trends computed one day at a time (trend rules 1 to 8, decision 9, D30). */
import { DAY, isoOf, monthStart } from './book-instant.ts';
import { printAmount } from './exact-amount.ts';
import { groups, type Priced, type Window, totalOf, valueOf } from './plain-books.ts';

const VALUES_MAX = 5;

export interface PlainSeries {
  readonly key: string;
  readonly label: string;
  readonly data_points: { readonly date: string; readonly cost: string; readonly event_count: number }[];
}

export function granularityOf({ start, end }: Window): 'daily' | 'weekly' | 'monthly' {
  const days = (end - start + DAY - 1n) / DAY;
  return days <= 30n ? 'daily' : days <= 90n ? 'weekly' : 'monthly';
}

export function series(events: readonly Priced[], window: Window, key: string, label = key): PlainSeries {
  const byDate = Map.groupBy(events, ({ at }) => dateOf(at, window));
  const dates = new Set<string>();
  for (let day = window.start - (window.start % DAY); day < window.end; day += DAY) dates.add(dateOf(day, window));
  return {
    key,
    label,
    data_points: [...dates].map((date) => {
      const members = byDate.get(date) ?? [];
      return { date, cost: printAmount(totalOf(members)), event_count: members.length };
    }),
  };
}

export function topSeries(events: readonly Priced[], window: Window, key: string): PlainSeries[] {
  const top = groups(events, (event) => valueOf(event, key))
    .filter(({ name }) => name !== 'Other')
    .slice(0, VALUES_MAX);
  const names = new Set(top.map(({ name }) => name));
  const rest = events.filter((event) => !names.has(valueOf(event, key)));
  return [...top.map(({ name, events: members }) => series(members, window, name)), series(rest, window, 'Other')];
}

function dateOf(at: bigint, window: Window): string {
  const granularity = granularityOf(window);
  if (granularity === 'monthly') return isoOf(monthStart(at)).slice(0, 10);
  const day = at - (at % DAY);
  // 1 January 1970 was a Thursday: three days after a Monday.
  return isoOf(granularity === 'daily' ? day : day - ((day / DAY + 3n) % 7n) * DAY).slice(0, 10);
}
