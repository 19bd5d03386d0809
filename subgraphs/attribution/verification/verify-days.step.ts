/**
 * Verifies days: requests the ledger's sums from costing, waits until those entries have arrived, and compares them
 * with facts and rollups.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { askGateway } from '#platform/ask-gateway.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { LedgerDay, LedgerDaySums } from '#schema/ledger-days.ts';
import { FOLLOWER } from '../config.ts';
import type { NewDifference } from './book-difference.table.ts';
import { compareWithin, compareWithLedger } from './compare-day.ts';
import { readOwnDays } from './day-figures.query.ts';

const SUMS = internalGraphql('query LedgerSums($days: JSON!) { ledgerSums(days: $days) }');

/**
 * Maximum number of attempts for days whose facts have not arrived or that keep changing; then these days are left for
 * the next run.
 */
const LOOKS_MAX = 20;
const REST_MILLISECONDS = 100;

export interface Verification {
  readonly database: Database;
  readonly gateway: GatewayClient;
}

export interface VerifiedDays {
  /** Days with a conclusive result. */
  readonly days: readonly LedgerDay[];
  readonly differences: readonly NewDifference[];
}

/**
 * Tries days again until their facts have arrived and their figures are stable; days that still change are left out.
 * Stores nothing.
 */
export async function verifyDays(verification: Verification, days: readonly LedgerDay[]): Promise<VerifiedDays> {
  const verified: LedgerDay[] = [];
  const differences: NewDifference[] = [];
  let left = days;
  for (let look = 1; look <= LOOKS_MAX && left.length > 0; look++) {
    if (look > 1) await pause(REST_MILLISECONDS);
    const found = await compare(verification, left);
    for (const { day, differences: ofDay } of found) {
      if (ofDay === null) continue;
      verified.push(day);
      differences.push(...ofDay);
    }
    left = found.flatMap(({ day, differences: ofDay }) => (ofDay === null ? [day] : []));
  }
  return { days: verified, differences };
}

async function compare({ database, gateway }: Verification, days: readonly LedgerDay[]) {
  const before = await getSums(gateway, days);
  const own = await database.system((tx) => readOwnDays(tx, days));
  const after = await getSums(gateway, days);
  return own.map((day, index) => {
    const [ledgerBefore, ledgerAfter] = [before[index]!, after[index]!];
    const { organizationId } = day;
    // Everything that the ledger had before must have arrived; otherwise the result is not conclusive yet.
    const isThere = (day.place ?? (ledgerBefore.head === 0 ? 0 : -1)) >= ledgerBefore.head;
    const facts = isThere ? compareWithLedger(ledgerBefore, day, ledgerAfter) : null;
    return {
      day: { organizationId, day: day.day },
      differences: facts === null ? null : [...facts, ...compareWithin(ledgerAfter, day)],
    };
  });
}

async function getSums(gateway: GatewayClient, days: readonly LedgerDay[]): Promise<LedgerDaySums[]> {
  const principal = servicePrincipal(FOLLOWER, randomUuid());
  return (await askGateway(gateway, SUMS, { days }, principal)).ledgerSums as LedgerDaySums[];
}
