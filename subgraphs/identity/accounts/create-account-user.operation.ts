/** Adds an account user to an organization. */
import { actorOf } from '../../../platform/subgraph/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import { randomBytes, randomUuid } from '../../../platform/random.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { insertAccountUser, ROLES } from './account-user.table.ts';
import { recordAct } from '../audit-log/audit-record.table.ts';
import { checkEmail, checkPassword } from './check-account.ts';
import { hashPassword } from '../secrets/hash-password.ts';

export async function createAccountUser(context: SubgraphContext, given: { email: string; password: string; role: string }): Promise<{ userId: string }> {
  const organizationId = organizationOf(context);
  const role = ROLES.find((known) => known === given.role) ?? fail('VALIDATION_ERROR', `role must be one of ${ROLES.join(', ')}`);
  const email = checkEmail(given.email);
  const passwordHash = await hashPassword(checkPassword(given.password, email), randomBytes(16));
  const id = randomUuid();
  const at = now();
  await context.database.forOrganization(organizationId, async (em) => {
    if (!await insertAccountUser(em, { organizationId, id, email, passwordHash, role, createdAt: at })) {
      fail('VALIDATION_ERROR', 'There is an account with this e-mail address already');
    }
    await recordAct(em, { organizationId, at, act: 'account_user.created', ...actorOf(context.principal), subjectId: id, detail: email });
  });
  return { userId: id };
}
