/** Revokes an operator token at once. */
import { actorOf, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { endOperator, lockActiveOperators } from './operator.table.ts';
import { type OperatorTokenView, toOperatorToken } from './to-operator-token.ts';

/** Fails with `VALIDATION_ERROR` for the last token, because nobody could create another one. */
export async function revokeOperatorToken(context: SubgraphContext, name: string): Promise<OperatorTokenView> {
  return context.database.system(async (tx) => {
    const at = now();
    const active = await lockActiveOperators(tx);
    const operator =
      active.find((candidate) => candidate.name === name) ??
      fail('NOT_FOUND', `The operator token ${name} does not exist or is revoked`);
    if (active.length === 1)
      fail('VALIDATION_ERROR', `${name} is the last operator token: create another first, or rotate it`);
    await endOperator(tx, operator.id, at);
    await recordAudit(tx, {
      organizationId: NO_ORGANIZATION,
      at,
      action: 'operator_token.revoked',
      ...actorOf(context.principal),
      subjectId: operator.id,
      detail: name,
    });
    return toOperatorToken({ ...operator, revokedAt: at });
  });
}
