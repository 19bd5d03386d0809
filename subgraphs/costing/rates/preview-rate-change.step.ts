/** Runs a rate change to see its effect, and rolls it back. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { markRateChange } from './rate-generation.table.ts';

/** Thrown to roll back the transaction and carry its result out. */
class Preview<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('Rolled back as intended');
    this.result = result;
  }
}

/**
 * Returns what `change` returns, for the caller's organization. Nothing is stored, and other transactions do not wait.
 */
export async function previewRateChange<Result>(
  context: SubgraphContext,
  change: (tx: WriteTransaction, organizationId: OrganizationId, at: Date) => Promise<Result>,
): Promise<Result> {
  const organizationId = organizationOf(context);
  try {
    return await context.database.system(async (tx): Promise<Result> => {
      const at = now();
      await markRateChange(tx, organizationId, at);
      throw new Preview(await change(tx, organizationId, at));
    });
  } catch (error) {
    if (error instanceof Preview) return error.result as Result;
    throw error;
  }
}
