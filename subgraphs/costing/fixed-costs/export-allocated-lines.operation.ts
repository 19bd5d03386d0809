/** Exports each end user's share of a window's fixed costs, and the model costs that these replace, for revenue. */
import { amount, plain } from '#kernel/money.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { refuseMonthsOver, type Window, windowSoFar } from '#kernel/time/window.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import type { AllocatedCostLines } from '#schema/allocated-cost-lines.ts';
import { fail } from '#kernel/errors.ts';
import { readAllocatedLines, readAllocatedSums } from './allocated-costs.query.ts';
import { cutDaysOf, daysOfWindow, wholeDaysOf } from './days.ts';
import { readReplacedParts } from './replaced-parts.query.ts';
import { findUnallocatedDays } from './unallocated-days.query.ts';

/** The maximum that revenue compares. */
const END_USERS_MAX = 200_000;
const MONTHS_MAX = 12;

type EndUserLine = AllocatedCostLines['endUsers'][number];

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months or more end users than one request may hold. */
export async function exportAllocatedLines(context: SubgraphContext, window: Window): Promise<AllocatedCostLines> {
  refuseMonthsOver(window, MONTHS_MAX);
  const organizationId = organizationOf(context);
  const { untilDay: replacedUntilDay } = wholeDaysOf(window);
  const entries = { organizationId, fixedCostId: null, replacedUntilDay, ...daysOfWindow(window) };
  const daysSoFar = daysOfWindow(windowSoFar(window, requestedAt(context)));
  const { sums, lines, unallocatedDays, parts } = await context.database.snapshot(organizationId, async (tx) => ({
    sums: await readAllocatedSums(tx, entries),
    unallocatedDays: await findUnallocatedDays(tx, organizationId, daysSoFar),
    parts: await readReplacedParts(tx, organizationId, cutDaysOf(window)),
    ...(await readAllocatedLines(tx, 'END_USER', { ...entries, limit: END_USERS_MAX + 1, offset: 0 })),
  }));
  const replacedCost = [...parts.values()].reduce((total, part) => total + part, amount(sums.replacedCost));
  const allocated = lines.map(({ subject, allocated: carried, replacedCost: ofWholeDays }): EndUserLine => {
    const part = parts.get(subject) ?? 0n;
    parts.delete(subject);
    return [subject, carried, plain(amount(ofWholeDays) + part)];
  });
  parts.delete('');
  const endUsers = [...allocated, ...[...parts].map(([subject, part]): EndUserLine => [subject, '0', plain(part)])];
  if (endUsers.length > END_USERS_MAX)
    fail(
      'UNPROCESSABLE_ENTITY',
      `A margin can have at most ${END_USERS_MAX} end users, and this organization has more`,
    );
  return {
    endUsers,
    unassigned: sums.unassigned,
    idle: sums.idle,
    unallocated: sums.unallocated,
    replacedCost: plain(replacedCost),
    unallocatedDays,
  };
}
