/** Rate cards: one for each model of a provider, of the catalogue or written by a person. What it charges is in its versions. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { rateTable } from './rate-table.ts';

export const RateCardTable = defineEntity({
  name: 'RateCard',
  tableName: 'rate_card',
  ...rateTable(),
  properties: {
    /** `EVERYBODY` for a standard card. */
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** Null: it prices models of any provider. */
    providerSlug: p.text().nullable(),
    modelSlug: p.text(),
    matchKind: p.enum(['catalogue', 'prefix']),
    createdAt: p.datetime(3),
  },
});

export type RateCard = InferEntity<typeof RateCardTable>;

export type NewRateCard = Omit<RateCard, 'createdAt'>;

/** Their names are inserted next to them (`rate-alias.ts`), the slug among them. */
export async function insertRateCards(em: EntityManager, cards: readonly NewRateCard[], at: Date): Promise<void> {
  await query(
    em,
    `
    insert into rate_card (created_at, organization_id, id, provider_slug, model_slug, match_kind)
    select $1, * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[])`,
    [
      at,
      cards.map((card) => card.organizationId),
      cards.map((card) => card.id),
      cards.map((card) => card.providerSlug),
      cards.map((card) => card.modelSlug),
      cards.map((card) => card.matchKind),
    ],
  );
}

/** The card that a person wrote for a model, if there is one. `providerSlug` null: for any provider. */
export async function findWrittenCard(
  em: EntityManager,
  card: { readonly organizationId: string; readonly modelSlug: string; readonly providerSlug: string | null },
): Promise<string | null> {
  const [row] = await query<{ id: string }>(
    em,
    `
    select id from rate_card
    where organization_id = $1 and match_kind = 'prefix' and model_slug = $2 and provider_slug is not distinct from $3`,
    [card.organizationId, card.modelSlug, card.providerSlug],
  );
  return row?.id ?? null;
}
