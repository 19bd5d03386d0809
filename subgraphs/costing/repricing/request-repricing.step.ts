/** Parses an operator's request for a repricing, and begins the repricing in the operator's name. */
import { parseWindow } from '#kernel/time/window.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRepricing } from './begin-repricing.step.ts';
import { REPRICE } from './reprice.step.ts';
import { lockRepricings, type RepricingOrder } from './repricing.table.ts';

interface RepricingRequest {
  readonly start: string;
  readonly end: string;
  readonly model?: string | null | undefined;
}

/** Fails with `VALIDATION_ERROR` for an invalid period. */
export function parseRepricing({ start, end, model }: RepricingRequest): RepricingOrder {
  const window = parseWindow({ start, end });
  return { start: window.start.iso, end: window.end.iso, model: model?.trim() ?? null, reverts: null };
}

/**
 * Returns the id of the new repricing, or of an unfinished one with the same period and model. Fails while another
 * one runs.
 */
export function requestRepricing(context: SubgraphContext, order: RepricingOrder): Promise<{ id: string }> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    await lockRepricings(tx, organizationId);
    const at = now();
    const { id, isNew } = await beginRepricing(tx, organizationId, REPRICE, order, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: isNew ? 'repricing.begun' : 'repricing.continued',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${order.model ?? 'all models'} from ${order.start} to ${order.end}`,
    });
    return { id };
  });
}
