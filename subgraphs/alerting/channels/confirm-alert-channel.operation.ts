/** Confirms an e-mail address: its holder agrees to receive alerts by the link in the confirmation mail. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { AlertChannelConfirmation } from '../resolvers.generated.ts';
import { confirmChannel, findByConfirmation } from './alert-channel.table.ts';
import { hashOfCode } from './confirmation-code.ts';

/** Fails with `NOT_FOUND` for an invalid link. Of several concurrent requests, one confirms. */
export async function confirmAlertChannel(
  { database }: SubgraphContext,
  code: string,
): Promise<AlertChannelConfirmation> {
  const hash = hashOfCode(code) ?? notFound();
  return database.system(async (tx) => {
    const at = now();
    const { organizationId, id, target } = (await findByConfirmation(tx, { hash, at })) ?? notFound();
    if (!(await confirmChannel(tx, { organizationId, id, hash, at }))) notFound();
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'alert_channel.confirmed',
      actorKind: 'anonymous',
      subjectId: id,
      detail: target,
    });
    return { address: target };
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'This link was already used, has expired, or was replaced by a newer one');
}
