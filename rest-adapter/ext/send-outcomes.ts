/** Records outcomes in batches, in the name of the caller. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';

export const OUTCOMES_MAX = 100;

const INGEST_OUTCOMES = internalGraphql(`mutation IngestOutcomes($outcomes: JSON!, $newOutcomesMax: Int!) {
  ingestOutcomes(outcomes: $outcomes, newOutcomesMax: $newOutcomesMax) {
    accepted
    failed
    results { index status key effect error message }
    userErrors { message code }
  }
}`);

/**
 * At most `OUTCOMES_MAX`. Fails with `RATE_LIMIT_EXCEEDED` if more than `newOutcomesMax` of them are new.
 */
export async function sendOutcomes(
  gateway: GatewayClient,
  principal: Principal,
  outcomes: readonly unknown[],
  newOutcomesMax: number,
) {
  const { ingestOutcomes } = await askGateway(gateway, INGEST_OUTCOMES, { outcomes, newOutcomesMax }, principal);
  const { userErrors, ...recorded } = ingestOutcomes;
  const [error] = userErrors;
  return error ? fail(error.code, error.message) : recorded;
}

interface SentOutcomes {
  /** Number of outcomes that were not received before, recorded or rejected. */
  readonly fresh: number;
  readonly rejected: number;
  /** Why the first one was rejected; null if none was. */
  readonly message: string | null;
}

/** Sends any number of outcomes. After a failure, all can be sent again: each counts once. */
export async function sendAllOutcomes(
  gateway: GatewayClient,
  principal: Principal,
  outcomes: readonly unknown[],
  newOutcomesMax: number,
): Promise<SentOutcomes> {
  const sent = { fresh: 0, rejected: 0, message: null as string | null };
  for (let from = 0; from < outcomes.length; from += OUTCOMES_MAX) {
    const batch = outcomes.slice(from, from + OUTCOMES_MAX);
    const { results } = await sendOutcomes(gateway, principal, batch, newOutcomesMax - sent.fresh);
    for (const { effect, status, message } of results ?? []) {
      if (effect !== 'NONE') sent.fresh++;
      if (status !== 'REJECTED') continue;
      sent.rejected++;
      sent.message ??= message;
    }
  }
  return sent;
}
