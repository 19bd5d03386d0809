/** Confirms the caller's own password, for actions of other subgraphs that require it. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { checkOwnPassword } from './require-step-up.step.ts';

/** Fails with `VALIDATION_ERROR` for a wrong password, which is counted, or with `RATE_LIMIT_EXCEEDED`. */
export async function confirmOwnPassword(context: SubgraphContext, ownPassword: string): Promise<boolean> {
  await checkOwnPassword(context, ownPassword, { message: 'Your own password is wrong', field: 'ownPassword' });
  return true;
}
