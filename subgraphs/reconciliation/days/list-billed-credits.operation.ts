/**
 * `Query.billedCredits`: credits on bills, compared with the credits that the books compute for the same days (decision
 * 99).
 */
import { money, plain, sum } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { readerOf } from '../books/graph-reader.step.ts';
import { readOwnCredits, readUsedCredits } from '../books/own-credits.step.ts';
import { type BillConnectionRow, listConnections } from '../connections/bill-connection.table.ts';
import { statesCredits, whyUnsettled } from '../connections/source-facts.ts';
import type { BillSource } from '../lines/bill-line.ts';
import { type CreditDays, readCreditDays } from '../pulls/credit-days.query.ts';
import type { BilledCredits, QueryBilledCreditsArgs } from '../resolvers.generated.ts';
import { requestedDays } from './requested-days.ts';

const DAYS_MAX = 400;

/**
 * Compares the credits on bills with those in the books, for settled days. Only providers for which the organization has
 * entered a credit are included, and only sources whose bills state credits.
 */
export async function listBilledCredits(
  context: SubgraphContext,
  gateway: GatewayClient,
  { start, end }: QueryBilledCreditsArgs,
): Promise<BilledCredits[]> {
  const organizationId = organizationOf(context);
  const { from, until } = requestedDays({ start, end });
  if (Date.parse(until) - Date.parse(from) > DAYS_MAX * DAY_MS)
    fail('VALIDATION_ERROR', `The window has more than ${DAYS_MAX} days`);
  const stored = await context.database.entitySnapshot(organizationId, (tx) => listConnections(tx, organizationId));
  const connections = stored.filter(({ source }) => statesCredits(source as BillSource));
  if (connections.length === 0) return [];
  const read = readerOf(gateway, organizationId);
  const credits = await readOwnCredits(read);
  const providers = [...new Set(credits.map(({ provider }) => provider))];
  if (providers.length === 0) return [];
  const connectionIds = connections.map(({ id }) => id);
  const periods = await context.database.snapshot(organizationId, (tx) =>
    readCreditDays(tx, { organizationId, connectionIds, providers, from, until }),
  );
  if (periods.length === 0) return [];
  const used = await readUsedCredits(read, from, until);
  return connections.flatMap((connection) =>
    [...Map.groupBy(settled(connection, periods), ({ provider, currency }) => `${provider} ${currency}`).values()]
      .map((ofProvider) => {
        const { provider, currency } = ofProvider[0]!;
        const covered = daysIn(ofProvider);
        const billed = sum(ofProvider.map(({ credit }) => credit.negated()));
        const own = used.filter((line) => line.provider === provider && covered.has(line.day));
        const ownUsed = currency === 'USD' ? sum(own.map((line) => money(line.used))) : null;
        const inForce = credits.filter((credit) => credit.provider === provider && credit.isInForce);
        const difference = ownUsed === null ? null : billed.minus(ownUsed);
        const days = [...covered].sort();
        return {
          connectionId: connection.id,
          source: connection.source,
          provider,
          currency,
          from: days[0]!,
          to: days.at(-1)!,
          days: days.length,
          billed: plain(billed),
          used: ownUsed === null ? null : plain(ownUsed),
          difference: difference === null ? null : plain(difference),
          left:
            difference === null || inForce.length === 0
              ? null
              : plain(sum(inForce.map(({ left }) => money(left))).minus(difference)),
        };
      })
      .sort((one, other) => (one.provider < other.provider ? -1 : 1)),
  );
}

function settled(connection: BillConnectionRow, periods: readonly CreditDays[]): CreditDays[] {
  const facts = { source: connection.source as BillSource, settleHours: connection.settleHours };
  const at = now();
  return periods.filter(
    ({ connectionId, lastDay }) => connectionId === connection.id && whyUnsettled(facts, lastDay, false, at) === null,
  );
}

function daysIn(periods: readonly CreditDays[]): Set<string> {
  const days = new Set<string>();
  for (const { day, lastDay } of periods) for (let next = day; next <= lastDay; next = addDays(next, 1)) days.add(next);
  return days;
}
