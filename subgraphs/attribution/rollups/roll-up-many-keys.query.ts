/**
 * Sums by hour for many keys at once. Facts without a key are not scanned for it: their sum is the total minus the
 * facts with the key. So a key that few facts have is cheap, and an organization with many keys delays nobody.
 */
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import { MODEL_PARTS, ownValueOf } from './cost-fact.table.ts';
import { AMOUNT_COLUMNS, FACT_MEASURES, MEASURE_SUMS, MEASURES } from '../measures/measure.ts';

/** Number of facts that report each column: a sum over none is null. */
const COUNTS = AMOUNT_COLUMNS.map((column) => `count(${column}) as ${column}_count`).join(', ');
const SUMS_OF_COUNTS = AMOUNT_COLUMNS.map((column) => `sum(${column}_count) as ${column}_count`).join(', ');

const ABSENT_MEASURES = [
  ...AMOUNT_COLUMNS.map(
    (column) => `case when total.${column}_count > coalesce(having_key.${column}_count, 0)
          then total.${column} - coalesce(having_key.${column}, 0) end as ${column}`,
  ),
  'total.event_count - coalesce(having_key.event_count, 0) as event_count',
].join(', ');

/** Same result as `hourSums`, from `facts` (rows of `cost_fact`) for every key of `keys` (rows of `rolled_key`). */
export function hourSumsOfManyKeys(facts: string, keys: string): string {
  return `
    with wanted as materialized (select organization_id, key from ${keys} as wanted),
    measured as materialized (
      select organization_id, date_trunc('hour', event_time, 'UTC') as bucket, dimensions, ${MODEL_PARTS.join(', ')}, ${FACT_MEASURES}
      from ${facts} as fact),
    total as materialized (
      select organization_id, bucket, ${MEASURE_SUMS}, ${COUNTS}, count(*) as facts from measured group by 1, 2),
    present as materialized (
      select organization_id, key, bucket, value, ${MEASURE_SUMS}, ${COUNTS}, count(*) as facts
      from (select measured.*, key, ${ownValueOf('key')} as value from measured join wanted using (organization_id)) as valued
      where value is not null group by 1, 2, 3, 4),
    having_key as materialized (
      select organization_id, key, bucket, ${MEASURE_SUMS}, ${SUMS_OF_COUNTS}, sum(facts) as facts from present group by 1, 2, 3)
    select organization_id, key as dimension_key, bucket, value as dimension_value, ${MEASURE_SUMS}
    from (
      select organization_id, key, bucket, value, ${MEASURES} from present
      union all
      select total.organization_id, wanted.key, total.bucket, '${UNASSIGNED}', ${ABSENT_MEASURES}
      from total join wanted using (organization_id)
      left join having_key on having_key.organization_id = total.organization_id and having_key.key = wanted.key
        and having_key.bucket = total.bucket
      where total.facts > coalesce(having_key.facts, 0)
    ) as both_kinds
    group by 1, 2, 3, 4`;
}
