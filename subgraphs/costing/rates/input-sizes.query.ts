/** Sizes of the input at which the price of any card changes that the organization may use, ascending. */
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { GLOBAL_TENANT } from '../config.ts';

/** Distinct, unordered: SQL over the organization's id. */
const sizesOf = (organizationId: string) => `
  select distinct above_input_tokens::float8 as size from (
    select above_input_tokens from rate_tier where organization_id in ('${GLOBAL_TENANT}'::uuid, ${organizationId})
    union all select above_input_tokens from rate_variant where organization_id in ('${GLOBAL_TENANT}'::uuid, ${organizationId})
  ) as sized where above_input_tokens > 0`;

/** The same as a JSON array, of the organization that SQL names. */
export function inputSizesOf(organizationId: string): string {
  return `(select coalesce(jsonb_agg(size order by size), '[]') from (${sizesOf(organizationId)}) as sizes)`;
}

export async function readInputSizes(tx: Transaction, organizationId: string): Promise<number[]> {
  const rows = await query<{ size: number }>(tx, `${sizesOf('$1::uuid')} order by 1`, [organizationId]);
  return rows.map(({ size }) => size);
}
