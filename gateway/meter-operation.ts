/**
 * Counts what a document does: every root field of a mutation is a request; ingestion is signed and counted as such
 * (decision 9, D62).
 */
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { fail } from '../schema/errors.ts';
import type { Caller } from './admit-caller.ts';
import type { ScopeTable } from './refuse-early.ts';
import { rootFields } from './root-fields.ts';

export interface MeteredRequest {
  readonly caller: Caller;
  /** Why the body's signature does not hold, or `null` when it does. Only asked of API keys. */
  readonly signatureFailure: () => string | null;
}

/**
 * Fails with `UNAUTHORIZED` for ingestion by an API key that has not signed the body as on `/v1`, and with
 * `RATE_LIMIT_EXCEEDED` where the rest of the document is more than a bucket still holds. The door has counted one.
 */
export async function meterOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  scopes: ScopeTable,
  { caller, signatureFailure }: MeteredRequest,
): Promise<void> {
  const fields = operation.operation === 'mutation' ? rootFields(document, operation) : [];
  const ingestions = fields.filter((name) => scopes.get(`Mutation.${name}`)?.includes('usage:write')).length;
  if (ingestions > 0 && caller.apiKey !== null) {
    const failure = signatureFailure();
    if (failure !== null) fail('UNAUTHORIZED', failure);
  }
  const requests = operation.operation === 'mutation' ? fields.length - ingestions : 1;
  const unpaidIngestions = ingestions - (caller.paid === 'ingestion' ? 1 : 0);
  const unpaidRequests = requests - (caller.paid === 'request' ? 1 : 0);
  if (unpaidRequests > 0) await caller.spendRequests(unpaidRequests);
  if (unpaidIngestions > 0) await caller.spendIngestions(unpaidIngestions);
}
