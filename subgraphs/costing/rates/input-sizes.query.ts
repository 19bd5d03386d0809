/** Sizes of the input at which the price of any card changes that the organization may use, ascending. */
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { GLOBAL_TENANT } from '../config.ts';

export async function readInputSizes(tx: Transaction, organizationId: string): Promise<number[]> {
  const rows = await query<{ size: number }>(
    tx,
    `select distinct above_input_tokens::float8 as size from (
       select above_input_tokens from rate_tier where organization_id in ($1, $2)
       union all select above_input_tokens from rate_variant where organization_id in ($1, $2)
     ) as sized where above_input_tokens > 0 order by 1`,
    [GLOBAL_TENANT, organizationId],
  );
  return rows.map(({ size }) => size);
}
