/** Reads the groups of a window from daily profiles, and from individual events for days without a profile. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { compareInstants, instantOf } from '#kernel/time/instant.ts';
import { wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import {
  countBookedEvents,
  type GroupsQuery,
  type PricedGroup,
  readPricedGroups,
  readProfiledGroups,
} from './priced-groups.query.ts';
import { listProfiledDays } from './usage-profile-day.table.ts';

/** Fails with `UNPROCESSABLE_ENTITY` if there are too many individual events. */
export async function readGroups(
  tx: Transaction,
  { eventsMax, ...input }: GroupsQuery & { readonly eventsMax: number },
): Promise<PricedGroup[]> {
  const { organizationId, window, agent, inputSizes } = input;
  const days = agent === null ? await listProfiledDays(tx, organizationId, wholeUnits(window, 'day'), inputSizes) : [];
  const open = withoutDays(window, days);
  let events = 0;
  for (const part of open) events += await countBookedEvents(tx, organizationId, part);
  if (events > eventsMax)
    fail(
      'UNPROCESSABLE_ENTITY',
      `A simulation sums at most ${eventsMax} individual events, and about ${events} events of this window are not aggregated by day (days are aggregated some minutes after they end, and only without an agent filter): choose a shorter window`,
    );
  const groups = days.length === 0 ? [] : await readProfiledGroups(tx, input, days);
  for (const part of open) groups.push(...(await readPricedGroups(tx, { ...input, window: part })));
  return groups;
}

/** The parts of a window outside the given whole days, in order. */
function withoutDays({ start, end }: Window, days: readonly string[]): Window[] {
  const left: Window[] = [];
  let from = start;
  for (const day of days) {
    const first = instantOf(new Date(day));
    if (compareInstants(from, first) < 0) left.push({ start: from, end: first });
    from = instantOf(new Date(first.epochMs + DAY_MS));
  }
  return compareInstants(from, end) < 0 ? [...left, { start: from, end }] : left;
}
