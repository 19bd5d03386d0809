/** GraphQL with the operator token: administrative requests, and waiting until all events are processed. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { firstUserError } from '#platform/ask-gateway.ts';
import { graphql, type GraphqlDocument } from '#schema/graphql.ts';
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

/** Waits until every event is priced and attributed. Throws if that takes longer than `secondsMax`. */
export async function settle(service: Operable, secondsMax = 600): Promise<void> {
  const started = elapsedMilliseconds();
  while (elapsedMilliseconds() - started < secondsMax * 1000) {
    const requestedAt = elapsedMilliseconds();
    const { pricingBacklog, attributionLag } = await askOperator(service, BACKLOG, {});
    const left =
      pricingBacklog.pendingEvents + pricingBacklog.feedLag + attributionLag.batches + attributionLag.replaying;
    if (left === 0 && pricingBacklog.feedDigest === attributionLag.feedDigest) return;
    // The query reads every organization, so it is paced: its own cost must not be measured.
    await pause(Math.max(POLL_MILLISECONDS, POLL_SHARE * (elapsedMilliseconds() - requestedAt)));
  }
  throw new Error(`Events were still pending after ${secondsMax} s`);
}
