/** Prices of a version in pricing contexts: by service tier, speed, region or hour. */
import { defineEntity, p } from '@mikro-orm/core';
import { plain } from '#kernel/money.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';
import type { RateVariant } from './rate-card-version.ts';
import { rateRows, rateTable } from './rate-table.ts';

export const RateVariantTable = defineEntity({
  name: 'RateVariant',
  tableName: 'rate_variant',
  ...rateTable(),
  properties: {
    organizationId: p.uuid().primary(),
    rateCardVersionId: p.uuid().primary(),
    /** Sorted `key=value` pairs. */
    context: p.text().primary(),
    /** A token class as named in the code, `all`, or the name of a unit price. */
    class: p.text().primary(),
    /** 0: any size. */
    aboveInputTokens: p.bigint().primary(),
    /** USD per million tokens or per unit; null if a factor is set. */
    rate: p.decimal().precision(18).scale(9).nullable(),
    factor: p.decimal().precision(18).scale(9).nullable(),
    /** Where the price is published. */
    source: p.text(),
  },
});

export interface NewVariant {
  readonly organizationId: string;
  readonly rateCardVersionId: string;
  readonly variant: RateVariant;
}

export async function insertRateVariants(tx: WriteTransaction, rows: readonly NewVariant[]): Promise<void> {
  if (rows.length === 0) return;
  await query(
    tx,
    `
    insert into rate_variant (organization_id, rate_card_version_id, context, class, above_input_tokens, rate, factor, source)
    select item.* from ${rateRows}
      unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::numeric[], $7::numeric[], $8::text[]) as item`,
    [
      rows.map((row) => row.organizationId),
      rows.map((row) => row.rateCardVersionId),
      rows.map(({ variant }) => variant.context),
      rows.map(({ variant }) => variant.class),
      rows.map(({ variant }) => variant.aboveInputTokens),
      rows.map(({ variant }) => (variant.rate === null ? null : plain(variant.rate))),
      rows.map(({ variant }) => (variant.factor === null ? null : plain(variant.factor))),
      rows.map(({ variant }) => variant.source),
    ],
  );
}
