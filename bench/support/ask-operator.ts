/** GraphQL with the operator's token: what an administrator would do, and waiting until nothing is left to do. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '../../platform/clock.ts';
import { firstUserError } from '../../platform/ask-gateway.ts';
import { graphql, type GraphqlDocument } from '../../schema/graphql.ts';
import type { Service } from './start-service.ts';

type Operable = Pick<Service, 'url' | 'firstRun'>;

export async function askOperator<Data, Variables extends object>(
  { url, firstRun }: Operable,
  query: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
  organizationId?: string,
): Promise<Data> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${firstRun.operator_token}`,
      ...(organizationId === undefined ? {} : { 'x-organization-id': organizationId }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data?: Data; errors?: { message: string }[] };
  if (!data || errors) throw new Error(`The operator was refused: ${errors?.[0]?.message ?? answer.status}`);
  const userError = firstUserError(data);
  if (userError) throw new Error(`The operator was refused: ${userError.message}`);
  return data;
}

const POLL_MILLISECONDS = 50;
const POLL_SHARE = 10;
const BACKLOG = graphql(`query BenchBacklog {
  pricingBacklog { pendingEvents feedLag feedDigest }
  attributionLag { batches replaying setAside feedDigest }
}`);

/** Waits until every event is priced and attributed. Throws when that takes longer than `secondsMax`. */
export async function settle(service: Operable, secondsMax = 600): Promise<void> {
  const started = elapsedMilliseconds();
  while (elapsedMilliseconds() - started < secondsMax * 1000) {
    const requestedAt = elapsedMilliseconds();
    const { pricingBacklog, attributionLag } = await askOperator(service, BACKLOG, {});
    const left =
      pricingBacklog.pendingEvents + pricingBacklog.feedLag + attributionLag.batches + attributionLag.replaying;
    if (left === 0 && pricingBacklog.feedDigest === attributionLag.feedDigest) return;
    // Asking goes through every organization: it must not be what is measured.
    await pause(Math.max(POLL_MILLISECONDS, POLL_SHARE * (elapsedMilliseconds() - requestedAt)));
  }
  throw new Error(`Events were still waiting after ${secondsMax} s`);
}
