/** Replaces an operator token with a new one of the same name; the old one is revoked at once. */
import { actorOf, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { issueOperatorToken } from './issue-operator-token.step.ts';
import { endOperator, lockActiveOperators } from './operator.table.ts';
import { type OperatorTokenView, toOperatorToken } from './to-operator-token.ts';

/** Each of several concurrent rotations replaces the token of the one before; only the last token works. */
export async function rotateOperatorToken(
  context: SubgraphContext,
  name: string,
): Promise<{ token: string; operatorToken: OperatorTokenView }> {
  const { principal } = context;
  return context.database.system(async (tx) => {
    const at = now();
    const old =
      (await lockActiveOperators(tx)).find((operator) => operator.name === name) ??
      fail('NOT_FOUND', `The operator token ${name} does not exist or is revoked`);
    await endOperator(tx, old.id, at);
    const params = { name, createdBy: principal.credentialId, createdAt: at };
    const { token, operator } = await issueOperatorToken(tx, params);
    await recordAudit(tx, {
      organizationId: NO_ORGANIZATION,
      at,
      action: 'operator_token.rotated',
      ...actorOf(principal),
      subjectId: operator.id,
      detail: name,
    });
    return { token, operatorToken: toOperatorToken(operator) };
  });
}
