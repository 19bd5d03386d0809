/**
 * Adds an account user to an organization. Every role except member requires a sign-in within the last ten minutes; an
 * owner also requires the caller's own password.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { insertAccountUser } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { lockOrganization } from '../organization.table.ts';
import { checkEmail, checkPassword } from '../check-account.ts';
import { hashPassword } from '../../secrets/hash-password.ts';
import { checkRole } from '../role.ts';
import { proveOwnPassword, requireOwnPassword, requireStepUp } from './manage-account-user.step.ts';

/** Fails with `FORBIDDEN`, or with `VALIDATION_ERROR`, including when the address already belongs to an account. */
export async function createAccountUser(
  context: SubgraphContext,
  input: { email: string; password: string; role: string; ownPassword?: string | null | undefined },
): Promise<{ userId: string }> {
  const organizationId = organizationOf(context);
  const role = checkRole(input.role);
  const email = checkEmail('email', input.email);
  const proof = await proveOwnPassword(context, input.ownPassword ?? null);
  const passwordHash = await hashPassword(checkPassword('password', input.password, email), randomBytes(16));
  const id = randomUuid();
  const at = now();
  await context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, organizationId);
    if (role !== 'member') await requireStepUp(tx, context);
    if (role === 'owner') requireOwnPassword(proof);
    if (!(await insertAccountUser(tx, { organizationId, id, email, passwordHash, role, createdAt: at }))) {
      fail('VALIDATION_ERROR', 'An account with this e-mail address already exists', { field: 'email' });
    }
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'account_user.created',
      ...actorOf(context.principal),
      subjectId: id,
      detail: email,
    });
  });
  return { userId: id };
}
