/** `Window.costAdjustments`: adjustments booked on the days that start in a window. */
import { type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { daysOfWindow } from '../fixed-costs/days.ts';
import { readAdjustments } from './cost-adjustment.table.ts';

const PAGE_MAX = 1_000;

/** A page of adjustments, newest first. */
export async function listCostAdjustments(context: SubgraphContext, window: Window, input: PageInput) {
  const organizationId = organizationOf(context);
  const page = parsePage(input, PAGE_MAX);
  const { rows, amount, count } = await context.database.snapshot(organizationId, (tx) =>
    readAdjustments(tx, { organizationId, ...daysOfWindow(window) }, page),
  );
  return { ...toConnection(rows, count, page), totalAmount: amount };
}
