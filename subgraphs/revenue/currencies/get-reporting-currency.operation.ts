/** Returns an organization's reporting currency. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { ReportingCurrency } from '../resolvers.generated.ts';
import { readReportingCurrency } from './read-reporting-currency.step.ts';

export function getReportingCurrency(context: SubgraphContext): Promise<ReportingCurrency> {
  const organizationId = organizationOf(context);
  return context.database.snapshot(organizationId, (tx) => readReportingCurrency(tx, organizationId));
}
