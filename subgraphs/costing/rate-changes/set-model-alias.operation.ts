/**
 * Sets which model a name refers to, such as an Azure deployment or a router's own name. Waiting events with that name
 * are requeued.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import { finishOperation } from '#platform/operations/run-operation.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { beginRequeue, requeuedEventsOf, requeueWaitingKind } from '../pricing-queue/requeue-events.step.ts';
import type { ModelAlias } from '../resolvers.generated.ts';
import { deleteModelAlias, listModelAliases, saveModelAlias } from '../rates/model-alias.table.ts';
import { beginRateChange } from '../rates/rate-generation.table.ts';
import { type ModelAliasInput, parseModelAlias } from './parse-model-alias.ts';

export interface SetModelAlias {
  /** `null`: the alias was removed. */
  readonly modelAlias: ModelAlias | null;
  readonly requeuedEvents: number;
}

/** Limit per organization: all aliases of an organization are held in memory. */
const ALIASES_MAX = 1_000;

/**
 * Applies to the caller's organization, or to everybody for an operator without one. Booked costs stay. Fails with
 * `VALIDATION_ERROR` and `NOT_FOUND`.
 */
export async function setModelAlias(
  { database, principal }: SubgraphContext,
  input: ModelAliasInput,
): Promise<SetModelAlias> {
  const { name, providerSlug, model } = parseModelAlias(input);
  const organizationId = principal.organizationId ?? GLOBAL_TENANT;
  const at = now();
  const requeue = await database.system(async (tx) => {
    await beginRateChange(tx, organizationId, at);
    if (model === null) {
      const existed = await deleteModelAlias(tx, organizationId, { name, providerSlug });
      if (!existed) fail('NOT_FOUND', `${name} is not an alias`);
    } else {
      const isOther = (one: {
        readonly organizationId: OrganizationId;
        readonly name: string;
        readonly providerSlug: string;
      }) => one.organizationId === organizationId && (one.name !== name || one.providerSlug !== providerSlug);
      const others = (await listModelAliases(tx, organizationId)).filter(isOther);
      if (others.length >= ALIASES_MAX)
        fail('VALIDATION_ERROR', `The limit of ${ALIASES_MAX} aliases is reached: remove one`);
      await saveModelAlias(tx, organizationId, { name, providerSlug, model }, at);
    }
    await recordAudit(tx, {
      organizationId,
      at,
      action: model === null ? 'model_alias.removed' : 'model_alias.set',
      ...actorOf(principal),
      detail: `${name}${providerSlug === '' ? '' : ` of ${providerSlug}`}${model === null ? '' : ` is ${model}`}`,
    });
    return beginRequeue(tx, organizationId);
  });
  const provider = providerSlug === '' ? null : providerSlug;
  const isStandard = organizationId === GLOBAL_TENANT;
  const modelAlias = model === null ? null : { name, provider, model, isStandard, changedAt: at };
  return { modelAlias, requeuedEvents: requeuedEventsOf(await finishOperation(database, requeueWaitingKind, requeue)) };
}
