/** Removes an agreement. Events priced from now on have the list price again; booked costs stay until repriced. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRateChange } from '../rates/rate-generation.table.ts';
import { deleteAgreementRow } from '../rates/discounts/agreement.table.ts';
import { replaceTerms } from '../rates/discounts/agreement-term.table.ts';

/** Returns the id. Fails with `NOT_FOUND`. */
export async function removeAgreement(context: SubgraphContext, id: string): Promise<string> {
  const organizationId = organizationOf(context);
  if (!isUuid(id)) fail('NOT_FOUND', 'Unknown agreement');
  const at = now();
  await context.database.system(async (tx) => {
    await beginRateChange(tx, organizationId, at);
    await replaceTerms(tx, organizationId, id, []);
    const name = (await deleteAgreementRow(tx, organizationId, id)) ?? fail('NOT_FOUND', 'Unknown agreement');
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'agreement.removed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: name,
    });
  });
  return id;
}
