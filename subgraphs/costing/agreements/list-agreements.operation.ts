/** Lists the organization's agreements with providers. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Agreement } from '../resolvers.generated.ts';
import { listAgreementRows } from '../rates/discounts/agreement.table.ts';
import { listTerms } from '../rates/discounts/agreement-term.table.ts';
import { toAgreementView } from './agreement-view.ts';

/** The organization's agreements, sorted by provider, then by first day. */
export function listAgreements(context: SubgraphContext): Promise<Agreement[]> {
  const organizationId = organizationOf(context);
  const at = now();
  return context.database.snapshot(organizationId, async (tx) => {
    const terms = await listTerms(tx, organizationId);
    const agreements = await listAgreementRows(tx, organizationId);
    return agreements.map((agreement) => toAgreementView(agreement, terms.get(agreement.id) ?? [], at));
  });
}
