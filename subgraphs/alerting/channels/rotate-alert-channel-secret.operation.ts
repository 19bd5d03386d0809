/** Gives a webhook a new signing secret. The previous one also signs for a day, so that receivers can switch over. */
import { now } from '#platform/clock.ts';
import type { Sealing } from '#platform/seal.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { CHANNEL_SEAL, ROTATION_HOURS } from '../config.ts';
import type { AlertChannel } from '../resolvers.generated.ts';
import { saveChannel } from './alert-channel.table.ts';
import { toAlertChannelView } from './alert-channel-view.ts';
import { newSigningSecret } from './new-signing-secret.step.ts';
import { requireChannel } from './require-channel.step.ts';

/** After two rotations within a day, the secret from before the first one no longer signs. Fails with `NOT_FOUND`. */
export async function rotateAlertChannelSecret(
  context: SubgraphContext,
  id: string,
  { sealing, hasMail }: { readonly sealing: Sealing; readonly hasMail: boolean },
): Promise<{ alertChannel: AlertChannel; secret: string }> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const channel = await requireChannel(tx, organizationId, id);
    if (channel.kind !== 'WEBHOOK') return fail('VALIDATION_ERROR', 'id: only webhooks have a signing secret');
    const secret = newSigningSecret();
    const isLost = channel.sealedSecret === null;
    const enabled = { disabledAt: null, disabledReason: null };
    const rotated = await saveChannel(tx, {
      ...channel,
      sealedSecret: sealing.seal(secret, CHANNEL_SEAL, id),
      sealedPreviousSecret: channel.sealedSecret,
      previousUntil: isLost ? null : new Date(at.getTime() + ROTATION_HOURS * HOUR_MS),
      updatedAt: at,
      ...(isLost ? enabled : {}),
    });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'alert_channel.secret_rotated',
      ...actorOf(context.principal),
      subjectId: id,
      detail: channel.name,
    });
    return { alertChannel: toAlertChannelView(rotated, hasMail), secret };
  });
}
