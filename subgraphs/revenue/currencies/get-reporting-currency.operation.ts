/** Returns an organization's reporting currency. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import type { ReportingCurrency } from '../resolvers.generated.ts';
import { readReportingCurrency } from './read-reporting-currency.step.ts';

export function getReportingCurrency(context: SubgraphContext): Promise<ReportingCurrency> {
  const organizationId = organizationOf(context);
  const isSample = context.principal.sampleOf !== undefined;
  return context.database.snapshot(organizationId, async (tx) => {
    const reporting = await readReportingCurrency(tx, organizationId);
    // Sample data has rates for every day.
    const today = requestedAt(context).toISOString().slice(0, 'YYYY-MM-DD'.length);
    return isSample ? { ...reporting, newestRateDay: reporting.newestRateDay ?? today } : reporting;
  });
}
