/** Verification round over the books of one organization or of all: a long operation whose steps are pages of days. */
import type { OrganizationId } from '#kernel/ids.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { askGateway } from '#platform/ask-gateway.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { UPKEEP_SHARE } from '#platform/job-loop.ts';
import { insertOperation, type Operation } from '#platform/operations/operation-table.ts';
import type { OperationKind } from '#platform/operations/run-operation.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { LedgerDay, LedgerDaysPage } from '#schema/ledger-days.ts';
import { FOLLOWER, VERIFY_DAYS, VERIFY_EVENTS, VERIFY_UNHURRIED_EVENTS } from '../config.ts';
import { type NewDifference, saveDifferences } from './book-difference.table.ts';
import { markVerified } from './book-state.table.ts';
import { listOwnDays } from './day-figures.query.ts';
import { type Verification, verifyDays } from './verify-days.step.ts';

const PAGE = internalGraphql(`query LedgerDays($organizationId: ID, $after: JSON, $eventsMax: Int!) {
  ledgerDays(organizationId: $organizationId, after: $after, eventsMax: $eventsMax)
}`);

export const VERIFY = 'verify';

interface Parameters {
  /** True if the round runs in the background and nobody waits for it. */
  readonly isUnhurried: boolean;
}

interface RoundResult {
  /** Days that were verified, and days skipped because they kept changing or their facts had not arrived. */
  readonly days: number;
  readonly skippedDays: number;
  readonly differences: number;
}

/** `organizationId` null: a round over all organizations. */
export function beginRound(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  isUnhurried: boolean,
): Promise<Operation> {
  const [id = ''] = uuidsV7(1);
  const parameters: Parameters = { isUnhurried };
  return insertOperation(tx, { organizationId: organizationId ?? NO_ORGANIZATION, id, kind: VERIFY, parameters });
}

/** Progress counts events. */
export function verifyKind(verification: Verification): OperationKind {
  return {
    kind: VERIFY,
    async step({ organizationId, place, parameters }, commit) {
      const since = elapsedMilliseconds();
      const { isUnhurried } = parameters as Parameters;
      const eventsMax = isUnhurried ? VERIFY_UNHURRIED_EVENTS : VERIFY_EVENTS;
      const of = organizationId === NO_ORGANIZATION ? null : organizationId;
      const after = place as LedgerDay | null;
      const page = (
        await askGateway(
          verification.gateway,
          PAGE,
          { organizationId: of, after, eventsMax },
          servicePrincipal(FOLLOWER, randomUuid()),
        )
      ).ledgerDays as LedgerDaysPage;
      const own = await verification.database.system((tx) => listOwnDays(tx, of, after, page.through));
      const days = unique([...page.days, ...own]);
      const verified: LedgerDay[] = [];
      const differences: NewDifference[] = [];
      for (let start = 0; start < days.length; start += VERIFY_DAYS) {
        const found = await verifyDays(verification, days.slice(start, start + VERIFY_DAYS));
        verified.push(...found.days);
        differences.push(...found.differences);
      }
      await commit(async (tx, operation) => {
        await saveDifferences(tx, verified, differences);
        await markVerified(
          tx,
          verified.map((day) => day.organizationId),
          true,
        );
        const before = (operation.result ?? { days: 0, skippedDays: 0, differences: 0 }) as RoundResult;
        return {
          place: page.through ?? after,
          done: operation.done + page.events,
          result: {
            days: before.days + verified.length,
            skippedDays: before.skippedDays + days.length - verified.length,
            differences: before.differences + differences.length,
          } satisfies RoundResult,
          isFinished: page.through === null,
        };
      });
      if (isUnhurried) await pause((elapsedMilliseconds() - since) * (1 / UPKEEP_SHARE - 1));
    },
  };
}

function unique(days: readonly LedgerDay[]): LedgerDay[] {
  return [...new Map(days.map((day) => [`${day.organizationId} ${day.day}`, day])).values()].sort((one, other) =>
    one.organizationId === other.organizationId
      ? one.day < other.day
        ? -1
        : 1
      : one.organizationId < other.organizationId
        ? -1
        : 1,
  );
}
