/** Making facts those of costing's ledger as a long operation, which an operator or owner asks for (decision 25). */
import { isContentError } from '../../../platform/content-error.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { insertOperation, type Operation } from '../../../platform/operations/operation-table.ts';
import type { OperationKind } from '../../../platform/operations/run-operation.ts';
import { NO_ORGANIZATION } from '../../../platform/subgraph/audit-record.ts';
import { uuidsV7 } from '../../../platform/uuid-v7.ts';
import { clearKeys } from '../rollups/rollup-key.table.ts';
import { comparePage } from './compare-page.step.ts';
import { holdPlaces, lockPlace, movePlaces, type Replay, startPlaces } from './feed-place.table.ts';
import type { FollowerDependencies } from './follow-feeds.step.ts';
import { REPLAY_START } from './plan-step.ts';

const REBUILD = 'rebuild';

/** Of events of this time, ISO 8601, or of all, and then every sum is made again too. */
export interface RebuildParameters {
  readonly start: string | null;
  readonly end: string | null;
}

interface RebuildPlace {
  readonly organizationId: string;
  /** Null: this organization is through. */
  readonly replay: Replay | null;
}

/**
 * Of one organization, or of all. One that runs with the same parameters begins again: what is asked for may lie where it has been.
 * Until keys are rolled up again, reads use the facts.
 */
export async function beginRebuild(
  em: EntityManager,
  organizationId: string | null,
  parameters: RebuildParameters,
): Promise<string> {
  const of = organizationId ?? NO_ORGANIZATION;
  if (organizationId !== null) await startPlaces(em, [organizationId]);
  if (parameters.start === null) await clearKeys(em, organizationId);
  const [running] = await query<{ id: string }>(
    em,
    `update operation set place = null, done = 0 where organization_id = $1 and id = (
       select id from operation where organization_id = $1 and kind = $2 and state = 'running'
         and parameters = $3::jsonb order by id desc limit 1 for update)
     returning id`,
    [of, REBUILD, JSON.stringify(parameters)],
  );
  if (running) return running.id;
  const [id = ''] = uuidsV7(1);
  await insertOperation(em, { organizationId: of, id, kind: REBUILD, parameters });
  return id;
}

/** Counts costs of the ledger. A step is a page of it. */
export function rebuildKind(dependencies: FollowerDependencies): OperationKind {
  return {
    kind: REBUILD,
    async step(_, commit) {
      try {
        await commit((em, operation) => rebuildPage(em, operation, false));
      } catch (error) {
        if (!isContentError(error)) throw error;
        dependencies.log.warn({ err: error }, 'Facts of the ledger could not be taken together');
        await commit((em, operation) => rebuildPage(em, operation, true));
      }
    },
  };

  async function rebuildPage(em: EntityManager, operation: Operation, isCareful: boolean) {
    const { done } = operation;
    const next = await nextPlace(em, operation);
    if (next === null) return { place: operation.place, done, isFinished: true };
    const { organizationId, replay } = next;
    await lockPlace(em, organizationId);
    const [place] = await holdPlaces(em, [organizationId], 1);
    if (place === undefined) return { place: { organizationId, replay: null }, done, isFinished: false };
    const page = await comparePage(em, dependencies, place, replay, isCareful);
    await movePlaces(em, [{ ...place, arrival: page.arrival, evidence: page.evidence }]);
    return {
      place: { organizationId, replay: page.replay } satisfies RebuildPlace,
      done: done + page.facts,
      isFinished: page.replay === null && operation.organizationId !== NO_ORGANIZATION,
    };
  }
}

/** Where the next page begins: in the organization under way, else in the next one; null: there is none. */
async function nextPlace(
  em: EntityManager,
  operation: Operation,
): Promise<{ readonly organizationId: string; readonly replay: Replay } | null> {
  const { start, end } = operation.parameters as RebuildParameters;
  const range = start === null || end === null ? {} : { start, end };
  const beginning: Replay = { cursor: { ...REPLAY_START, ...range }, removed: 0, sumsAll: start === null };
  const place = operation.place as RebuildPlace | null;
  if (place !== null && place.replay !== null) return { organizationId: place.organizationId, replay: place.replay };
  if (operation.organizationId !== NO_ORGANIZATION)
    return place === null ? { organizationId: operation.organizationId, replay: beginning } : null;
  const [next] = await query<{ organizationId: string }>(
    em,
    'select organization_id from feed_place where $1::uuid is null or organization_id > $1 order by 1 limit 1',
    [place?.organizationId ?? null],
  );
  return next ? { organizationId: next.organizationId, replay: beginning } : null;
}
