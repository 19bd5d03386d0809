/** Adds an account user to an organization. An owner who adds another one must have signed in within ten minutes. */
import { actorOf } from '../../../platform/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import { randomBytes, randomUuid } from '../../../platform/random.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { insertAccountUser } from '../data/account-user.ts';
import { recordAct } from '../data/audit-record.ts';
import { requireStepUp } from '../data/manage-account-user.ts';
import { checkEmail, checkPassword } from '../rules/check-account.ts';
import { checkRole } from '../rules/check-role.ts';
import { hashPassword } from '../rules/hash-password.ts';

export async function createAccountUser(context: SubgraphContext, given: { email: string; password: string; role: string }): Promise<{ userId: string }> {
  const organizationId = organizationOf(context);
  const role = checkRole(given.role);
  const email = checkEmail(given.email);
  const passwordHash = await hashPassword(checkPassword(given.password, email), randomBytes(16));
  const id = randomUuid();
  const at = now();
  await context.database.forOrganization(organizationId, async (em) => {
    if (role === 'owner') await requireStepUp(em, context);
    if (!await insertAccountUser(em, { organizationId, id, email, passwordHash, role, createdAt: at })) {
      fail('VALIDATION_ERROR', 'There is an account with this e-mail address already');
    }
    await recordAct(em, { organizationId, at, act: 'account_user.created', ...actorOf(context.principal), subjectId: id, detail: email });
  });
  return { userId: id };
}
