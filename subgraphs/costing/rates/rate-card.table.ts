/** Rate cards: one for each model of a provider, from the catalogue or set by hand. Its prices are in its versions. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { rateRows, rateTable } from './rate-table.ts';

export const RateCardTable = defineEntity({
  name: 'RateCard',
  tableName: 'rate_card',
  ...rateTable(),
  properties: {
    /** `GLOBAL_TENANT` for a standard card. */
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** Null: the card prices models of any provider. */
    providerSlug: p.text().nullable(),
    modelSlug: p.text(),
    matchKind: p.enum(['catalogue', 'prefix']),
    createdAt: p.datetime(3),
  },
});

type RateCard = InferEntity<typeof RateCardTable>;

export type NewRateCard = Omit<RateCard, 'createdAt'>;

const INSERT_RATE_CARDS = statement(
  (
    input: Parameters<{
      at: Date;
      organizationIds: readonly OrganizationId[];
      ids: readonly string[];
      providerSlugs: readonly (string | null | undefined)[];
      modelSlugs: readonly string[];
      matchKinds: readonly ('prefix' | 'catalogue')[];
    }>,
  ) => sql<object>`
    insert into rate_card (created_at, organization_id, id, provider_slug, model_slug, match_kind)
    select ${input.at}, item.* from ${sql.raw(rateRows)} unnest(${input.organizationIds}::uuid[], ${input.ids}::uuid[], ${input.providerSlugs}::text[], ${input.modelSlugs}::text[], ${input.matchKinds}::text[]) as item`,
);

/** Inserts cards without names: the caller inserts those, including the slug, into `rate-alias.table.ts`. */
export async function insertRateCards(tx: WriteTransaction, cards: readonly NewRateCard[], at: Date): Promise<void> {
  await tx.run(INSERT_RATE_CARDS, {
    at,
    organizationIds: cards.map((card) => card.organizationId),
    ids: cards.map((card) => card.id),
    providerSlugs: cards.map((card) => card.providerSlug),
    modelSlugs: cards.map((card) => card.modelSlug),
    matchKinds: cards.map((card) => card.matchKind),
  });
}

const FIND_CARD_OF = statement(
  ({ organizationId, id }: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<{
      modelSlug: string;
      providerSlug: string | null;
    }>`select model_slug, provider_slug from rate_card where organization_id = ${organizationId} and id = ${id}`,
);

/** Null if the card does not exist or is not the organization's own. */
export function findCardOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<{ modelSlug: string; providerSlug: string | null } | null> {
  return tx.first(FIND_CARD_OF, { organizationId, id });
}

const FIND_WRITTEN_CARD = statement(
  (input: Parameters<{ organizationId: OrganizationId; modelSlug: string; providerSlug: string | null }>) => sql<{
    id: string;
  }>`
    select id from rate_card
    where organization_id = ${input.organizationId} and match_kind = 'prefix' and model_slug = ${input.modelSlug} and provider_slug is not distinct from ${input.providerSlug}`,
);

/** The hand-written card for a model, or null. `providerSlug` null: a card for any provider. */
export async function findWrittenCard(
  tx: WriteTransaction,
  card: { readonly organizationId: OrganizationId; readonly modelSlug: string; readonly providerSlug: string | null },
): Promise<string | null> {
  return (
    (
      await tx.first(FIND_WRITTEN_CARD, {
        organizationId: card.organizationId,
        modelSlug: card.modelSlug,
        providerSlug: card.providerSlug,
      })
    )?.id ?? null
  );
}
