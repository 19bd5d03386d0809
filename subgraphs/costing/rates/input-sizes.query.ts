/** Input sizes at which the price of any card available to the organization changes, in ascending order. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { GLOBAL_TENANT } from '../config.ts';

/** Subquery with the thresholds of all tiers and variants. */
const SIZES = `(
  select organization_id, above_input_tokens::float8 as size from rate_tier
  union all select organization_id, above_input_tokens::float8 from rate_variant) as sized`;

const READ_INPUT_SIZES = statement<{ size: number }, { readonly organizationId: OrganizationId }>(
  `select distinct size from ${SIZES} where organization_id in ('${GLOBAL_TENANT}', :organizationId) and size > 0 order by 1`,
);

/** The input sizes at which a rate of the organization's cards or of the standard cards changes. */
export async function readInputSizes(tx: Transaction, organizationId: OrganizationId): Promise<number[]> {
  const rows = await tx.all(READ_INPUT_SIZES, { organizationId });
  return rows.map(({ size }) => size);
}

export interface AllInputSizes {
  /** The sizes of the standard cards, for organizations without tiers of their own. */
  readonly standard: readonly number[];
  /** Sizes by organization, for organizations with tiers of their own. */
  readonly own: Readonly<Record<string, readonly number[]>>;
}

const READ_ALL_INPUT_SIZES = statement<{ organizationId: OrganizationId; size: number }>(
  `select distinct organization_id, size from ${SIZES} where size > 0`,
);

export async function readAllInputSizes(tx: Transaction): Promise<AllInputSizes> {
  const rows = await tx.all(READ_ALL_INPUT_SIZES, {});
  const sizesOf = Map.groupBy(rows, ({ organizationId }) => organizationId);
  const standard = (sizesOf.get(GLOBAL_TENANT) ?? []).map(({ size }) => size);
  const ascending = (sizes: readonly number[]) => [...new Set(sizes)].toSorted((one, other) => one - other);
  sizesOf.delete(GLOBAL_TENANT);
  const own = [...sizesOf].map(([id, ofOne]) => [id, ascending([...standard, ...ofOne.map(({ size }) => size)])]);
  return { standard: ascending(standard), own: Object.fromEntries(own) as AllInputSizes['own'] };
}
