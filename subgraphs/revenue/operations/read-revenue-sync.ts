/** How the connection and its sync stand, and whom customers are taken for. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { customerPage, type CustomerRow, type MappingConflict, mappingConflicts } from '../data/customer.ts';
import { connectionOf, type PaymentConnection } from '../data/payment-connection.ts';
import { latestRuns, runById, type SyncRunRow } from '../data/sync-run.ts';

const PAGE_MAX = 100;

export function readConnection(context: SubgraphContext): Promise<PaymentConnection | null> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, (em) => connectionOf(em, organizationId));
}

export function readRuns(context: SubgraphContext, limit: number): Promise<SyncRunRow[]> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, (em) => latestRuns(em, organizationId, pageSize(limit)));
}

export function readRun(context: SubgraphContext, id: string): Promise<{ run: SyncRunRow; error: string | null }> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, async (em) => {
    const run = (await runById(em, organizationId, id)) ?? fail('NOT_FOUND', 'Unknown run of the sync');
    return { run, error: (await connectionOf(em, organizationId))?.lastError ?? null };
  });
}

export function readCustomers(context: SubgraphContext, page: { limit: number; offset: number; unmapped: boolean }): Promise<CustomerRow[]> {
  const organizationId = organizationOf(context);
  if (page.offset < 0) fail('VALIDATION_ERROR', 'offset must be zero or positive');
  return context.database.forOrganization(organizationId, (em) => customerPage(em, organizationId, { ...page, limit: pageSize(page.limit) }));
}

export function readMappingConflicts(context: SubgraphContext, limit: number): Promise<MappingConflict[]> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, (em) => mappingConflicts(em, organizationId, pageSize(limit)));
}

/** Also the bound of the margin's own pages. */
export function pageSize(limit: number): number {
  return limit >= 1 && limit <= PAGE_MAX ? limit : fail('VALIDATION_ERROR', `limit must be from 1 to ${PAGE_MAX}`);
}
