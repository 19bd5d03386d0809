/** `Window.allocatedCosts`: booked fixed costs of a window, with their carriers. */
import { type Amount, amount } from '#kernel/money.ts';
import { type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { refuseMonthsOver, type Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import {
  type AllocatedLine,
  type AllocatedSubject,
  type CarriedSums,
  readAllocatedLines,
  readAllocatedSums,
} from './allocated-costs.query.ts';
import { daysOfWindow } from './days.ts';
import { toFixedCostView } from './fixed-cost-view.ts';
import type { FixedCost } from './fixed-cost.ts';
import { listFixedCostRows } from './fixed-cost.table.ts';

const LINES_MAX = 1_000;
const MONTHS_MAX = 12;

/** Fails with `NOT_FOUND` for an unknown key, and with `UNPROCESSABLE_ENTITY` for more than 12 calendar months. */
export async function listAllocatedCosts(
  context: SubgraphContext,
  window: Window,
  {
    groupBy,
    fixedCost: key,
    ...input
  }: PageInput & { readonly groupBy: AllocatedSubject; readonly fixedCost?: string | null | undefined },
) {
  const page = parsePage(input, LINES_MAX);
  refuseMonthsOver(window, MONTHS_MAX);
  const organizationId = organizationOf(context);
  const { sums, lines, count, fixedCosts } = await context.database.snapshot(organizationId, async (tx) => {
    const known = await listFixedCostRows(tx, organizationId);
    const selected = key == null ? null : known.find((one) => one.key === key);
    if (selected === undefined) return fail('NOT_FOUND', 'Unknown fixed cost');
    const entries = {
      organizationId,
      fixedCostId: selected?.id ?? null,
      replacedUntilDay: null,
      ...daysOfWindow(window),
    };
    return {
      fixedCosts: new Map(known.map((one) => [one.id, one])),
      sums: await readAllocatedSums(tx, entries),
      ...(await readAllocatedLines(tx, groupBy, { ...entries, ...page })),
    };
  });
  const nodes = lines.map((line) => toLine(groupBy, line, fixedCosts));
  return { ...toConnection(nodes, count, page), ...amountsOf(sums) };
}

function toLine(groupBy: AllocatedSubject, line: AllocatedLine, fixedCosts: ReadonlyMap<string, FixedCost>) {
  const fixedCost = groupBy === 'FIXED_COST' ? fixedCosts.get(line.subject) : undefined;
  return {
    endUser: groupBy === 'END_USER' ? { externalId: line.subject } : null,
    externalId: groupBy === 'END_USER' ? line.subject : null,
    fixedCost: fixedCost === undefined ? null : toFixedCostView(fixedCost),
    day: groupBy === 'DAY' ? line.subject : null,
    ...amountsOf(line),
  };
}

export interface CarriedAmounts {
  readonly total: Amount;
  readonly allocated: Amount;
  readonly unassigned: Amount;
  readonly idle: Amount;
  readonly unallocated: Amount;
  readonly replacedCost: Amount;
}

function amountsOf(sums: CarriedSums): CarriedAmounts {
  const [allocated, unassigned, idle, unallocated] = [
    amount(sums.allocated),
    amount(sums.unassigned),
    amount(sums.idle),
    amount(sums.unallocated),
  ];
  return {
    total: allocated + unassigned + idle + unallocated,
    allocated,
    unassigned,
    idle,
    unallocated,
    replacedCost: amount(sums.replacedCost),
  };
}
