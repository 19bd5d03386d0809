/** Creates a commitment or replaces its terms. Spend and shortfalls are computed in the background. */
import { now } from '#platform/clock.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { COMMITMENT_CHANNEL } from '../config.ts';
import type { CommitmentSaveInput } from '../resolvers.generated.ts';
import { changeCommitment } from './change-commitment.step.ts';
import { toCommitmentView } from './commitment-view.ts';
import { saveCommitmentRow } from './commitment.table.ts';
import { parseCommitment } from './parse-commitment.ts';
import { readCommitmentViews } from './read-commitments.step.ts';

/** Fails with `VALIDATION_ERROR` or `NOT_FOUND`. */
export async function saveCommitment(context: SubgraphContext, input: CommitmentSaveInput) {
  const organizationId = organizationOf(context);
  const at = now();
  const today = at.toISOString().slice(0, 10);
  const draft = parseCommitment(input, today);
  return context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'commitments', organizationId);
    const { before, changed } = await changeCommitment(tx, organizationId, input.id ?? null, draft, at);
    await saveCommitmentRow(tx, organizationId, changed);
    await recordAudit(tx, {
      organizationId,
      at,
      action: before === null ? 'commitment.created' : 'commitment.changed',
      ...actorOf(context.principal),
      subjectId: changed.id,
      detail: `${changed.name} with ${changed.providerSlug}`,
    });
    announceAfterCommit(tx, COMMITMENT_CHANNEL);
    const views = await readCommitmentViews(tx, organizationId, { today });
    return views.find(({ id }) => id === changed.id) ?? toCommitmentView(changed, { amounts: [], days: [] }, today);
  });
}
