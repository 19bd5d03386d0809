/** `Window.insights`: the few sentences worth reading today. */
import { amount } from '#kernel/money.ts';
import { checkFirst } from '#kernel/page-cursor.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { usualComparison } from '#kernel/time/usual-comparison.ts';
import type { Window } from '#kernel/time/window.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { isRefusal, readerOf } from '../figures/graph-reader.step.ts';
import { findCostChanges } from './cost-changes.step.ts';
import type { Insight, InsightWindow } from './insight.ts';
import { findCheaperModel, findUnpricedModels } from './model-insights.step.ts';
import { findTurnedCustomers } from './turned-customers.step.ts';

const INSIGHTS_MAX = 20;

/**
 * Covers the window's completed UTC days, so that pages show the same figures tomorrow; empty if there are none.
 * Ordered by money at stake, the most first. Margins are included only for callers with `revenue:read`. A source that
 * refuses its figures, for example because the window is too long, contributes nothing; any other error is thrown.
 */
export async function listInsights(
  gateway: GatewayClient,
  context: SubgraphContext,
  window: Window,
  first: number,
): Promise<Insight[]> {
  checkFirst(first, INSIGHTS_MAX);
  const organizationId = organizationOf(context);
  const now = requestedAt(context).getTime();
  const days = wholeDays(window, now);
  if (days === null) return [];
  const read = readerOf(gateway, organizationId);
  const mayReadMargins = context.principal.grants.includes('revenue:read');
  const found = await Promise.all([
    orNone(findCostChanges(read, organizationId, days, first)),
    mayReadMargins ? orNone(findTurnedCustomers(read, days)) : [],
    orNone(findUnpricedModels(read, days, Math.ceil((now - Date.parse(days.start)) / DAY_MS))),
    orNone(findCheaperModel(read, days)),
  ]);
  return found
    .flat()
    .sort((one, other) => byStake(one, other))
    .slice(0, first);
}

function byStake(one: Insight, other: Insight): number {
  const [stake, otherStake] = [amount(one.atStake), amount(other.atStake)];
  return stake === otherStake ? (one.sentence < other.sentence ? -1 : 1) : stake > otherStake ? -1 : 1;
}

/** The current day is excluded, so that later reads cover the same days. */
function wholeDays({ start, end }: Window, now: number): InsightWindow | null {
  const first = Math.ceil(start.epochMs / DAY_MS);
  const last = Math.floor(Math.min(end.epochMs, now) / DAY_MS);
  if (last <= first) return null;
  const days = { start: new Date(first * DAY_MS), end: new Date(last * DAY_MS) };
  const before = usualComparison(days);
  return {
    start: days.start.toISOString(),
    end: days.end.toISOString(),
    previousStart: before.start.toISOString(),
    previousEnd: before.end.toISOString(),
    days: last - first,
  };
}

async function orNone(insights: Promise<Insight[]>): Promise<Insight[]> {
  try {
    return await insights;
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}
