/** Prices of a version in pricing contexts: by service tier, speed, region or hour. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { plain } from '#kernel/money.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
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
  readonly organizationId: OrganizationId;
  readonly rateCardVersionId: string;
  readonly variant: RateVariant;
}

interface VariantColumns {
  readonly organizationIds: readonly OrganizationId[];
  readonly versionIds: readonly string[];
  readonly contexts: readonly string[];
  readonly classes: readonly string[];
  readonly sizes: readonly number[];
  readonly rates: readonly (string | null)[];
  readonly factors: readonly (string | null)[];
  readonly sources: readonly string[];
}

const INSERT_VARIANTS = statement<object, VariantColumns>(`
  insert into rate_variant (organization_id, rate_card_version_id, context, class, above_input_tokens, rate, factor, source)
  select item.* from ${rateRows} unnest(:organizationIds::uuid[], :versionIds::uuid[], :contexts::text[], :classes::text[],
    :sizes::bigint[], :rates::numeric[], :factors::numeric[], :sources::text[]) as item`);

export async function insertRateVariants(tx: WriteTransaction, rows: readonly NewVariant[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(INSERT_VARIANTS, {
    organizationIds: rows.map((row) => row.organizationId),
    versionIds: rows.map((row) => row.rateCardVersionId),
    contexts: rows.map(({ variant }) => variant.context),
    classes: rows.map(({ variant }) => variant.class),
    sizes: rows.map(({ variant }) => variant.aboveInputTokens),
    rates: rows.map(({ variant }) => (variant.rate === null ? null : plain(variant.rate))),
    factors: rows.map(({ variant }) => (variant.factor === null ? null : plain(variant.factor))),
    sources: rows.map(({ variant }) => variant.source),
  });
}
