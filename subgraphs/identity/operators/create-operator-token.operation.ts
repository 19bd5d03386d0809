/** Creates a named operator token; only this response contains it. */
import { actorOf, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { issueOperatorToken } from './issue-operator-token.step.ts';
import { lockActiveOperators } from './operator.table.ts';
import { checkName } from '../accounts/check-account.ts';
import { type OperatorTokenView, toOperatorToken } from './to-operator-token.ts';

/** Fails with `VALIDATION_ERROR` if another active token has the name. */
export async function createOperatorToken(
  context: SubgraphContext,
  input: string,
): Promise<{ token: string; operatorToken: OperatorTokenView }> {
  const name = checkName('name', input);
  const { principal } = context;
  return context.database.system(async (tx) => {
    const at = now();
    if ((await lockActiveOperators(tx)).some((operator) => operator.name === name)) {
      fail('VALIDATION_ERROR', `The operator token ${name} already exists: rotate or revoke it`);
    }
    const params = { name, createdBy: principal.credentialId, createdAt: at };
    const { token, operator } = await issueOperatorToken(tx, params);
    await recordAudit(tx, {
      organizationId: NO_ORGANIZATION,
      at,
      action: 'operator_token.created',
      ...actorOf(principal),
      subjectId: operator.id,
      detail: name,
    });
    return { token, operatorToken: toOperatorToken(operator) };
  });
}
