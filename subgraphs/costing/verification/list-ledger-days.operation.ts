/** Returns the days of the ledger, in order, to a consumer. */
import type { OrganizationId } from '#kernel/ids.ts';
import { fail } from '#kernel/errors.ts';
import type { LedgerDaysPage } from '#schema/ledger-days.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { findLedgerDays } from './ledger-days.query.ts';
import { parseLedgerDay, parseOrganizationId } from './parse-ledger-day.ts';

const PAGE_EVENTS_MAX = 100_000;

export function listLedgerDays(
  { database }: SubgraphContext,
  request: {
    readonly organizationId?: OrganizationId | null | undefined;
    readonly after?: unknown;
    readonly eventsMax: number;
  },
): Promise<LedgerDaysPage> {
  const after = request.after === undefined || request.after === null ? null : parseLedgerDay(request.after);
  const organizationId = request.organizationId ? parseOrganizationId(request.organizationId) : null;
  return database.system((tx) => findLedgerDays(tx, organizationId, after, boundedBy(request.eventsMax)));
}

function boundedBy(max: number): number {
  return max >= 1 && max <= PAGE_EVENTS_MAX
    ? max
    : fail('VALIDATION_ERROR', `eventsMax must be from 1 to ${PAGE_EVENTS_MAX}`);
}
