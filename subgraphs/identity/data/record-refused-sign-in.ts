/** Sign-ins that came to nothing, in the audit log of the account's organization, with the address that tried. */
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { THROTTLED_RECORDS } from '../config.ts';
import { storableText } from '../rules/storable-text.ts';
import type { AccountUser } from './account-user.ts';
import { recordAct } from './audit-record.ts';
import { takeTurn, touchTries } from './throttle.ts';

/** Of an account that is not there nobody's log can tell; a row is written all the same, so that the answer takes as long. */
export async function recordFailedSignIn({ database }: SubgraphContext, account: AccountUser | null, address: string, subject: string): Promise<void> {
  await database.acrossOrganizations((em) => (account === null ? touchTries(em, subject, now()) : recordAct(em, {
    organizationId: account.organizationId, at: now(), act: 'sign_in.failed', actorKind: 'anonymous', subjectId: account.id, detail: storableText(address),
  })));
}

/** Only so many an hour: whoever is made to wait must not fill the log by not waiting. */
export async function recordThrottledSignIn({ database }: SubgraphContext, { organizationId, id }: AccountUser, address: string): Promise<void> {
  await database.acrossOrganizations(async (em) => {
    const at = now();
    if (await takeTurn(em, `sign-in-throttled:${id}`, THROTTLED_RECORDS, at) > 0) return;
    await recordAct(em, { organizationId, at, act: 'sign_in.throttled', actorKind: 'anonymous', subjectId: id, detail: storableText(address) });
  });
}
