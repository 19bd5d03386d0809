/** Verifies days: asks costing what its ledger holds of them, waits until that has arrived, and compares it with facts and rollups. */
import { setTimeout as pause } from 'node:timers/promises';
import { askGateway } from '../../../platform/ask-gateway.ts';
import type { Database } from '../../../platform/database/open-database.ts';
import type { GatewayClient } from '../../../platform/gateway-client.ts';
import { servicePrincipal } from '../../../platform/principal.ts';
import { randomUuid } from '../../../platform/random.ts';
import { graphql } from '../../../schema/graphql.ts';
import type { LedgerDay, LedgerSums } from '../../../schema/ledger-days.ts';
import { FOLLOWER } from '../config.ts';
import type { NewDifference } from './book-difference.table.ts';
import { compareWithin, compareWithLedger } from './compare-day.ts';
import { readOwnDays } from './day-figures.query.ts';

const SUMS = graphql('query LedgerSums($days: JSON!) { ledgerSums(days: $days) }');
const REACHED = graphql(
  'query FeedReached($follower: String!, $snapshot: String!) { feedReached(follower: $follower, snapshot: $snapshot) }',
);

/** Looks at days that move all the time, before they are left for the next time. */
const LOOKS_MAX = 3;
const ARRIVAL = { looks: 100, restMilliseconds: 100 };

export interface Verification {
  readonly database: Database;
  readonly gateway: GatewayClient;
}

export interface VerifiedDays {
  /** Those of which something can be said. */
  readonly days: readonly LedgerDay[];
  readonly differences: readonly NewDifference[];
}

export async function verifyDays(verification: Verification, days: readonly LedgerDay[]): Promise<VerifiedDays> {
  const verified: LedgerDay[] = [];
  const differences: NewDifference[] = [];
  let left = days;
  for (let look = 1; look <= LOOKS_MAX && left.length > 0; look++) {
    const found = await compare(verification, left);
    if (found === null) break;
    for (const { day, differences: ofDay } of found) {
      if (ofDay === null) continue;
      verified.push(day);
      differences.push(...ofDay);
    }
    left = found.flatMap(({ day, differences: ofDay }) => (ofDay === null ? [day] : []));
  }
  return { days: verified, differences };
}

/** Null while the follower is behind. */
async function compare({ database, gateway }: Verification, days: readonly LedgerDay[]) {
  const before = await askSums(gateway, days);
  if (!(await hasArrived(gateway, before.snapshot))) return null;
  const own = await database.acrossOrganizations((em) => readOwnDays(em, days));
  const after = await askSums(gateway, days);
  return own.map((day, index) => {
    const [ledgerBefore, ledgerAfter] = [before.sums[index]!, after.sums[index]!];
    const facts = compareWithLedger(ledgerBefore, day, ledgerAfter);
    const { organizationId } = day;
    return {
      day: { organizationId, day: day.day },
      differences: facts === null ? null : [...facts, ...compareWithin(ledgerAfter, day)],
    };
  });
}

async function askSums(gateway: GatewayClient, days: readonly LedgerDay[]): Promise<LedgerSums> {
  return (await askGateway(gateway, SUMS, { days }, principal())).ledgerSums as LedgerSums;
}

async function hasArrived(gateway: GatewayClient, snapshot: string): Promise<boolean> {
  for (let look = 0; look < ARRIVAL.looks; look++) {
    const { feedReached } = await askGateway(gateway, REACHED, { follower: FOLLOWER, snapshot }, principal());
    if (feedReached) return true;
    await pause(ARRIVAL.restMilliseconds);
  }
  return false;
}

function principal() {
  return servicePrincipal(FOLLOWER, randomUuid());
}
