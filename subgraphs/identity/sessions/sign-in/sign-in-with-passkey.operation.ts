/** Signs in with only a passkey: the person has it and has unlocked it. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { requireRelyingParty } from '../passkeys/require-relying-party.step.ts';
import { verifyPasskey } from '../passkeys/verify-passkey.step.ts';
import { startSession } from '../start-session.step.ts';
import { storableText } from '../storable-text.ts';

/** Fails with `UNAUTHORIZED`, the same for an unknown passkey and for a wrong signature. */
export async function signInWithPasskey(
  context: SubgraphContext,
  { response, address, userAgent }: { response: unknown; address: string; userAgent: string },
  appUrl: string,
): Promise<{ token: string; expiresAt: Date }> {
  const use = { purpose: 'sign-in', subjectId: null } as const;
  const { passkey, isVerified } = await verifyPasskey(context, response, use, requireRelyingParty(appUrl));
  if (isVerified) {
    const { organizationId, accountUserId } = passkey;
    return context.database.system((tx) =>
      startSession(tx, { organizationId, accountUserId, address, userAgent }, now()),
    );
  }
  if (passkey)
    await context.database.system((tx) =>
      recordAudit(tx, {
        organizationId: passkey.organizationId,
        at: now(),
        action: 'sign_in.failed',
        actorKind: 'anonymous',
        subjectId: passkey.accountUserId,
        detail: storableText(address),
      }),
    );
  return fail('UNAUTHORIZED', 'This passkey does not belong to an account, or the sign-in timed out');
}
