/**
 * Creates an agreement with a provider or replaces its terms. Events priced from now on use it; booked costs stay until
 * they are repriced.
 */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRateChange } from '../rates/rate-generation.table.ts';
import type { Agreement, AgreementSaveInput } from '../resolvers.generated.ts';
import { toAgreementView } from './agreement-view.ts';
import { parseAgreement } from './parse-agreement.ts';
import { writeAgreement } from './write-agreement.step.ts';

/** Fails with `VALIDATION_ERROR`, and with `NOT_FOUND` for an unknown id. */
export async function saveAgreement(context: SubgraphContext, input: AgreementSaveInput): Promise<Agreement> {
  const organizationId = organizationOf(context);
  const draft = parseAgreement(input);
  const at = now();
  const saved = await context.database.system(async (tx) => {
    await beginRateChange(tx, organizationId, at);
    const written = await writeAgreement(tx, organizationId, draft, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: written.before === null ? 'agreement.created' : 'agreement.changed',
      ...actorOf(context.principal),
      subjectId: written.id,
      detail: `${written.name} with ${written.providerSlug} from ${written.fromDay}`,
    });
    return written;
  });
  return toAgreementView({ ...saved, changedAt: at.toISOString() }, draft.terms, at);
}
