/**
 * Counts the requests in a document: every root field of a mutation is one request. Ingestion must be signed and is
 * counted as ingestion (decision 9, D62).
 */
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { fail } from '#kernel/errors.ts';
import type { Caller } from './admit-caller.ts';
import type { ScopeTable } from './refuse-early.ts';
import { rootFields } from './root-fields.ts';

export interface MeteredRequest {
  readonly caller: Caller;
  /** Reason that the body's signature is invalid, or `null` if it is valid. Only called for API keys. */
  readonly signatureFailure: () => string | null;
}

/**
 * Fails with `UNAUTHORIZED` if an API key sends ingestion without signing the body as on `/v1`. Fails with
 * `RATE_LIMIT_EXCEEDED` if the rest of the document exceeds a bucket: one request was already charged on admission.
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
