/** Erases an end user from the customers: a pseudonym replaces it, the records stay (decision 28). */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { now } from '#platform/clock.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { checkErasure } from '#platform/subgraph/check-erasure.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { holdConnection } from '../connection/payment-connection.table.ts';
import type { RevenueErasure } from '../resolvers.generated.ts';
import { eraseCustomersOf } from '../customers/customer.table.ts';

const ERASE_AUDIT_DETAILS = statement(
  (input: Parameters<{ organizationId: OrganizationId; externalId: string; pseudonym: string }>) =>
    sql<object>`update audit_record set detail = ${input.pseudonym} where organization_id = ${input.organizationId} and act = 'customer.linked' and detail = ${input.externalId}`,
);

/**
 * Runs in one transaction, since an end user has few customers. Repeating it with the same arguments changes nothing.
 */
export async function eraseRevenueEndUser(
  context: SubgraphContext,
  { externalId, pseudonym }: { externalId: string; pseudonym: string },
): Promise<RevenueErasure> {
  checkErasure({ externalId, pseudonym });
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    // Without this lock, a customer that a concurrent sync step is writing would be missed.
    await holdConnection(tx, organizationId);
    const customers = await eraseCustomersOf(tx, organizationId, { externalId, pseudonym, at });
    // Audit records of manual links contain the end user too.
    await tx.run(ERASE_AUDIT_DETAILS, { organizationId, externalId, pseudonym });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'end_user.erased',
      ...actorOf(context.principal),
      detail: `${customers} customers`,
    });
    return { customers };
  });
}
