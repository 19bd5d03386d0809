/** Adds an account user to an organization. */
import { now } from '../../../platform/clock.ts';
import { randomBytes, randomUuid } from '../../../platform/random.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { AccountUserTable, isEmailTaken, type Role, ROLES } from '../data/account-user.ts';
import { checkEmail, checkPassword } from '../rules/check-account.ts';
import { hashPassword } from '../rules/hash-password.ts';

export async function createAccountUser(context: SubgraphContext, given: { email: string; password: string; role: string }): Promise<{ userId: string }> {
  const organizationId = organizationOf(context);
  const role = ROLES.find((known) => known === given.role) ?? fail('VALIDATION_ERROR', `role must be one of ${ROLES.join(', ')}`);
  const email = checkEmail(given.email);
  const passwordHash = await hashPassword(checkPassword(given.password), randomBytes(16));
  const id = randomUuid();
  await context.database.acrossOrganizations(async (em) => {
    if (await isEmailTaken(em, email)) fail('VALIDATION_ERROR', 'There is an account with this e-mail address already');
    await em.insert(AccountUserTable, { organizationId, id, email, passwordHash, role: role satisfies Role, createdAt: now() });
  });
  return { userId: id };
}
