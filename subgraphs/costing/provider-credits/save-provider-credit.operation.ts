/** Creates a provider's credit or replaces its terms. What it pays for is computed in the background. */
import { now } from '#platform/clock.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { CREDIT_CHANNEL } from '../config.ts';
import type { ProviderCreditSaveInput } from '../resolvers.generated.ts';
import { changeProviderCredit } from './change-provider-credit.step.ts';
import { toCreditView } from './credit-view.ts';
import { parseProviderCredit } from './parse-provider-credit.ts';
import { NO_SUMS, readCreditSums } from './provider-credit-entry.table.ts';
import { saveCreditRow } from './provider-credit.table.ts';

/** Fails with `VALIDATION_ERROR` or `NOT_FOUND`. */
export async function saveProviderCredit(context: SubgraphContext, input: ProviderCreditSaveInput) {
  const organizationId = organizationOf(context);
  const at = now();
  const today = at.toISOString().slice(0, 10);
  const draft = parseProviderCredit(input, today);
  return context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'providerCredits', organizationId);
    const { before, changed } = await changeProviderCredit(tx, organizationId, input.id ?? null, draft, at);
    await saveCreditRow(tx, organizationId, changed);
    await recordAudit(tx, {
      organizationId,
      at,
      action: before === null ? 'provider_credit.created' : 'provider_credit.changed',
      ...actorOf(context.principal),
      subjectId: changed.id,
      detail: `${changed.name} from ${changed.providerSlug}`,
    });
    announceAfterCommit(tx, CREDIT_CHANNEL);
    const sums = (await readCreditSums(tx, organizationId)).get(changed.id) ?? NO_SUMS;
    return toCreditView(changed, { sums, forecast: null }, today);
  });
}
