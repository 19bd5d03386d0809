/** Long operation that makes facts match costing's ledger, at the request of an operator or owner (decision 25). */
import type { OrganizationId } from '#kernel/ids.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isContentError } from '#platform/content-error.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import { statement } from '#platform/database/statement.ts';
import { nextOfAll, type NextOrganization } from '#platform/operations/next-of-all.ts';
import { insertOperation, type Operation } from '#platform/operations/operation-table.ts';
import type { Commit, OperationKind } from '#platform/operations/run-operation.ts';
import { NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { unavailability } from '#platform/unavailability.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { clearKeys } from '../rollups/rollup-key.table.ts';
import { comparePage } from './compare-page.step.ts';
import {
  claimOffsets,
  lockOffset,
  advanceOffsets,
  offsetAfter,
  type Replay,
  startOffsets,
} from './feed-offset.table.ts';
import type { FollowerDependencies } from './follow-feeds.step.ts';
import { REPLAY_START } from './plan-step.ts';

const REBUILD = 'rebuild';

/** Range of event times in ISO 8601. If null, all events are compared and every sum is recomputed. */
export interface RebuildParameters {
  readonly start: string | null;
  readonly end: string | null;
}

interface RebuildProgress {
  readonly organizationId: OrganizationId;
  /** Null if this organization is done. */
  readonly replay: Replay | null;
  /** True if a rebuild of all organizations starts over, because a node was unreachable the first time. */
  readonly isAgain?: true | undefined;
}

const RESTART_REBUILD = statement<
  { id: string },
  { readonly organizationId: OrganizationId; readonly kind: string; readonly parameters: string }
>(`
  update operation set place = null, done = 0 where organization_id = :organizationId and id = (
    select id from operation where organization_id = :organizationId and kind = :kind and state = 'running'
      and parameters = :parameters::jsonb order by id desc limit 1 for update)
  returning id`);

/**
 * Begins a rebuild of one organization, or of all. A running rebuild with the same parameters starts over, because the
 * requested part may lie behind its position. Reads use the facts until the keys are rolled up again.
 */
export async function beginRebuild(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  parameters: RebuildParameters,
): Promise<string> {
  const of = organizationId ?? NO_ORGANIZATION;
  if (organizationId !== null) await startOffsets(tx, [organizationId]);
  if (parameters.start === null && !clearsInTurn(tx, of)) await clearKeys(tx, organizationId);
  const input = { organizationId: of, kind: REBUILD, parameters: JSON.stringify(parameters) };
  const running = await tx.first(RESTART_REBUILD, input);
  if (running) return running.id;
  const [id = ''] = uuidsV7(1);
  await insertOperation(tx, { organizationId: of, id, kind: REBUILD, parameters });
  return id;
}

/**
 * With several nodes, the keys of all organizations are cleared one organization at a time, because a node may be
 * unreachable.
 */
function clearsInTurn(tx: WriteTransaction, organizationId: OrganizationId): boolean {
  return organizationId === NO_ORGANIZATION && !coversAllOrganizations(tx);
}

/** Progress counts ledger costs. Each step handles one page. */
export function rebuildKind(dependencies: FollowerDependencies): OperationKind {
  return {
    kind: REBUILD,
    async step(operation, commit, database) {
      const next = await nextComparison(database, operation);
      /** If the same rebuild was requested again meanwhile, the rebuild starts over and this step is discarded. */
      const commitHere: Commit = (work) =>
        commit(async (tx, held) =>
          isDeepStrictEqual(held.place, operation.place)
            ? work(tx, held)
            : { place: held.place, done: held.done, isFinished: false },
        );
      if (next === 'none' || next === 'again')
        return commitHere(async (_, { place, done }) => ({
          place: next === 'again' ? BEFORE_ALL : place,
          done,
          isFinished: next === 'none',
        }));
      try {
        await commitHere((tx, held) => rebuildPage(tx, held, next, false));
      } catch (error) {
        if (isContentError(error)) {
          dependencies.log.warn({ err: error }, 'A batch of ledger facts could not be applied');
          return commitHere((tx, held) => rebuildPage(tx, held, next, true));
        }
        const isOfOthersToo = operation.organizationId === NO_ORGANIZATION && !coversAllOrganizations(database.orm);
        if (!isOfOthersToo || unavailability(error) === null) throw error;
        dependencies.log.warn(
          { err: error, organizationId: next.organizationId },
          'An organization is skipped for now',
        );
        await passBy(next.organizationId, commit);
      }
    },
  };

  async function rebuildPage(tx: WriteTransaction, operation: Operation, next: NextComparison, isCareful: boolean) {
    const { done } = operation;
    const { organizationId, replay, isAgain } = next;
    await lockOffset(tx, organizationId);
    if (next.begins && replay.sumsAll && clearsInTurn(tx, operation.organizationId))
      await clearKeys(tx, organizationId);
    const [place] = await claimOffsets(tx, [organizationId], 1);
    if (place === undefined) return { place: { organizationId, replay: null, isAgain }, done, isFinished: false };
    const page = await comparePage(tx, dependencies, place, replay, isCareful);
    await advanceOffsets(tx, [{ ...place, arrival: page.arrival, evidence: page.evidence }]);
    return {
      place: { organizationId, replay: page.replay, isAgain } satisfies RebuildProgress,
      done: done + page.facts,
      isFinished: page.replay === null && operation.organizationId !== NO_ORGANIZATION,
    };
  }
}

/** The node of the organization or of its ledger is unreachable: continues with the others. */
async function passBy(organizationId: OrganizationId, commit: Commit): Promise<void> {
  await pause(REST_MILLISECONDS);
  await commit((_, { done }) =>
    Promise.resolve({
      place: { organizationId, replay: null, isAgain: true } satisfies RebuildProgress,
      done,
      isFinished: false,
    }),
  );
}

const REST_MILLISECONDS = 100;

const BEFORE_ALL: RebuildProgress = { organizationId: NO_ORGANIZATION, replay: null };

interface NextComparison extends NextOrganization {
  readonly replay: Replay;
  /** True for the organization's first page. */
  readonly begins: boolean;
}

/** Start of the next page: in the current organization, otherwise in the next one. */
async function nextComparison(database: Database, operation: Operation): Promise<NextComparison | 'none' | 'again'> {
  const { start, end } = operation.parameters as RebuildParameters;
  const range = start === null || end === null ? {} : { start, end };
  const beginning: Replay = { cursor: { ...REPLAY_START, ...range }, removed: 0, sumsAll: start === null };
  const place = operation.place as RebuildProgress | null;
  if (place !== null && place.replay !== null) return { ...place, replay: place.replay, begins: false };
  if (operation.organizationId !== NO_ORGANIZATION)
    return place === null ? { organizationId: operation.organizationId, replay: beginning, begins: true } : 'none';
  const next = await nextOfAll(database, offsetAfter((place ?? BEFORE_ALL).organizationId), place?.isAgain);
  return typeof next === 'string' ? next : { ...next, replay: beginning, begins: true };
}
