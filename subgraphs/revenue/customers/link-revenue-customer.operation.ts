/**
 * Links a customer to an end user, or removes the link. Records are mapped when read, so this applies to past records,
 * too.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { linkCustomerTo } from './customer.table.ts';
import type { RevenueCustomer } from '../resolvers.generated.ts';
import { toCustomerView } from './customer-view.ts';

const EXTERNAL_ID_MAX = 255;

/** A null `externalId` removes the link. */
export async function linkRevenueCustomer(
  context: SubgraphContext,
  customerId: string,
  externalId: string | null,
): Promise<RevenueCustomer> {
  if (externalId !== null && !isExternalId(externalId)) {
    fail(
      'VALIDATION_ERROR',
      `endUserExternalId must be 1 to ${EXTERNAL_ID_MAX} characters, as in the user_id of usage events`,
    );
  }
  const organizationId = organizationOf(context);
  const customer = customerId.includes('\0')
    ? null
    : await context.database.write(organizationId, async (tx) => {
        const linked = await linkCustomerTo(tx, organizationId, customerId, externalId);
        if (linked !== null)
          await recordAudit(tx, {
            organizationId,
            at: now(),
            action: externalId === null ? 'customer.unlinked' : 'customer.linked',
            ...actorOf(context.principal),
            subjectId: customerId,
            detail: externalId,
          });
        return linked;
      });
  return customer === null
    ? fail('NOT_FOUND', 'This customer has not been synced')
    : toCustomerView(organizationId, customer);
}

/** Same limits as `user_id` of usage events (decision 9, D4). */
function isExternalId(text: string): boolean {
  return text.length > 0 && text.length <= EXTERNAL_ID_MAX && !text.includes('\0') && text.isWellFormed();
}
