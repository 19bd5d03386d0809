/** A repricing that its caller waits for, and its dry run. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Database } from '#platform/database/open-database.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import { finishOperation } from '#platform/operations/run-operation.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { parseRepricing, requestRepricing } from './request-repricing.step.ts';
import { type RepricedPage, repriceKind, repricePage } from './reprice.step.ts';
import { type RepricedDay, sumCorrections } from './corrections.step.ts';
import type { RepricingCursor, RepricingOrder } from './repricing.table.ts';
import { changesOf, type Repricing, repricingOf, sumByModelAndDay } from './repricing-result.ts';

export interface RepriceRequest {
  readonly start: string;
  readonly end: string;
  /** The model as sent, or the slug of the card that priced it. */
  readonly model?: string | null | undefined;
  readonly dryRun: boolean;
}

/**
 * A second request with the same period and model resumes an interrupted repricing, or restarts it if rates have
 * changed since. If the caller disconnects, the job finishes it.
 */
export async function reprice(context: SubgraphContext, request: RepriceRequest): Promise<Repricing> {
  const organizationId = organizationOf(context);
  const { database } = context;
  const order = parseRepricing(request);
  if (request.dryRun) {
    const { found, kept } = await tryOut(database, organizationId, order);
    return repricingOf(null, found, kept);
  }
  const { id } = await requestRepricing(context, order);
  await finishOperation(database, repriceKind, { organizationId, id });
  return repricingOf(id, await database.write(organizationId, (tx) => sumCorrections(tx, organizationId, id, order)));
}

async function tryOut(
  database: Database,
  organizationId: OrganizationId,
  order: RepricingOrder,
): Promise<{ found: RepricedDay[]; kept: number }> {
  let found: RepricedDay[] = [];
  let kept = 0;
  let after: RepricingCursor = null;
  for (;;) {
    const place: RepricingCursor = after;
    const page: RepricedPage = await database.write(organizationId, async (tx) => {
      await liftTimeLimit(tx);
      return repricePage(tx, organizationId, order, place);
    });
    // Only sums by model and day are kept, because a period may have any number of events.
    found = sumByModelAndDay([...found, ...changesOf(page.corrections)]);
    kept += page.kept;
    after = page.place;
    if (after === null) return { found, kept };
  }
}
