/** Lists rate cards with filters, a page at a time. */
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { cardsWhere, type OfOrganization, OWN_OR_STANDARD, type RatedCard, readCards } from './rated-card.query.ts';

export interface WantedCards extends OfOrganization {
  /** A substring of the model's slug. */
  readonly search: string | null;
  readonly provider: string | null;
  readonly isOwn: boolean | null;
  /** In lower case: catalogue names, and name prefixes of hand-written cards. */
  readonly names: readonly string[] | null;
  /** Period in which a version takes effect; null: no filter. */
  readonly effective: { readonly from: Date; readonly before: Date } | null;
}

const WANTED = `${OWN_OR_STANDARD}
  and (:search::text is null or position(lower(:search) in lower(card.model_slug)) > 0) and (:provider::text is null or card.provider_slug = :provider)
  and (:isOwn::boolean is null or (card.organization_id = :organizationId) = :isOwn)
  and exists (select 1 from rate_card_version v
    where (v.organization_id, v.rate_card_id) = (card.organization_id, card.id) and v.superseded_at is null)
  and (:names::text[] is null or exists (select 1 from rate_alias a
    where (a.organization_id, a.rate_card_id) = (card.organization_id, card.id) and (a.name = any(:names::text[])
      or card.match_kind = 'prefix' and exists (select 1 from unnest(:names::text[]) as named (name) where starts_with(named.name, a.name)))))`;

/** A condition of its own, so that PostgreSQL begins with the few cards that change and not with all cards. */
const WANTED_CHANGING = `${WANTED}
  and (card.organization_id, card.id) in (select v.organization_id, v.rate_card_id
    from rate_card_version v where v.organization_id in ('${GLOBAL_TENANT}', :organizationId) and v.superseded_at is null
      and v.effective_from >= :effectiveFrom::timestamptz and v.effective_from < :effectiveBefore::timestamptz)`;

type WantedInput = Omit<WantedCards, 'effective'>;

interface ChangingInput extends WantedInput {
  readonly effectiveFrom: Date;
  readonly effectiveBefore: Date;
}

function changing({ effective, ...wanted }: WantedCards): ChangingInput | null {
  return effective && { ...wanted, effectiveFrom: effective.from, effectiveBefore: effective.before };
}

const BY_MODEL = 'card.model_slug collate "C", card.provider_slug collate "C" nulls first, card.id';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The page is chosen first, because PostgreSQL would otherwise also build the versions of all cards before it. */
const pageWhere = <Input extends WantedInput>(condition: string) =>
  cardsWhere<Input & Page>(`(card.organization_id, card.id) in (
      select card.organization_id, card.id from rate_card card where ${condition} order by ${BY_MODEL} limit :limit offset :offset)
    order by ${BY_MODEL}`);
const PAGE = pageWhere<WantedInput>(WANTED);
const PAGE_CHANGING = pageWhere<ChangingInput>(WANTED_CHANGING);

/** A page of rate cards, sorted by model, then by provider. */
export function listCards(tx: Transaction, wanted: WantedCards, page: Page): Promise<RatedCard[]> {
  const ofPeriod = changing(wanted);
  return ofPeriod === null
    ? readCards(tx, PAGE, { ...wanted, ...page })
    : readCards(tx, PAGE_CHANGING, { ...ofPeriod, ...page });
}

const countWhere = <Input extends WantedInput>(condition: string) =>
  statement<{ cards: number }, Input>(`select count(*)::float8 as cards from rate_card card where ${condition}`);
const COUNT = countWhere<WantedInput>(WANTED);
const COUNT_CHANGING = countWhere<ChangingInput>(WANTED_CHANGING);

export async function countCards(tx: Transaction, wanted: WantedCards): Promise<number> {
  const ofPeriod = changing(wanted);
  const { cards } = await (ofPeriod === null ? tx.one(COUNT, wanted) : tx.one(COUNT_CHANGING, ofPeriod));
  return cards;
}
