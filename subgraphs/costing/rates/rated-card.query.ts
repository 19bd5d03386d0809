/** Reads rate cards with all their names and versions, for matching and pricing: one query for any number of cards. */
import { money } from '#kernel/money.ts';
import type { Money } from '#kernel/money.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { byRate, TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
import type { MatchableCard } from './matching/match-rate-card.ts';
import type { RateCardVersion, RateVariant, TokenRates } from './rate-card-version.ts';
import { GLOBAL_TENANT } from '../config.ts';

export interface DatedVersion {
  readonly id: string;
  /** Milliseconds since 1970, inclusive; null: no lower bound. */
  readonly fromMs: number | null;
  /** Exclusive; null: still in force. */
  readonly toMs: number | null;
  readonly version: RateCardVersion;
}

/** Versions that are not superseded, oldest first. */
export interface RatedCard extends MatchableCard {
  readonly versions: readonly DatedVersion[];
}

/** The version in force at an instant. */
export function versionAt(card: RatedCard, atMs: number): DatedVersion | null {
  return (
    card.versions.find(({ fromMs, toMs }) => (fromMs === null || fromMs <= atMs) && (toMs === null || atMs < toMs)) ??
    null
  );
}

/** Cards of the organization and standard cards that have one of the names. */
export function findCardsByName(
  tx: WriteTransaction,
  organizationId: string,
  names: readonly string[],
): Promise<RatedCard[]> {
  return readCards(
    tx,
    `(card.organization_id, card.id) in (
    select organization_id, rate_card_id from rate_alias where name = any($1::text[]) and organization_id in ($2, $3))`,
    [names, GLOBAL_TENANT, organizationId],
  );
}

/** The cards whose versions priced an organization's events, without versions superseded since. */
export async function findCardsOfVersions(
  tx: Transaction,
  organizationId: string,
  versionIds: readonly string[],
): Promise<RatedCard[]> {
  if (versionIds.length === 0) return [];
  return readCards(
    tx,
    `card.organization_id in ($2, $3) and exists (
    select 1 from rate_card_version v where (v.organization_id, v.rate_card_id) = (card.organization_id, card.id) and v.id = any($1::uuid[]))`,
    [versionIds, GLOBAL_TENANT, organizationId],
  );
}

/** Every card that the organization may use. */
export function findAllCards(tx: Transaction, organizationId: string): Promise<RatedCard[]> {
  return readCards(tx, 'card.organization_id in ($1, $2)', [GLOBAL_TENANT, organizationId]);
}

export interface WantedCards {
  readonly organizationId: string;
  /** A substring of the model's slug. */
  readonly search: string | null;
  readonly provider: string | null;
  readonly isOwn: boolean | null;
  /** In lower case: catalogue names, and name prefixes of hand-written cards. */
  readonly names: readonly string[] | null;
  /** Period in which a version takes effect; null: no filter. */
  readonly effective: { readonly from: Date; readonly before: Date } | null;
}

const WANTED = `card.organization_id in ($1, $2)
  and ($3::text is null or position(lower($3) in lower(card.model_slug)) > 0) and ($4::text is null or card.provider_slug = $4)
  and ($5::boolean is null or (card.organization_id = $1) = $5)
  and exists (select 1 from rate_card_version v
    where (v.organization_id, v.rate_card_id) = (card.organization_id, card.id) and v.superseded_at is null)
  and ($6::text[] is null or exists (select 1 from rate_alias a
    where (a.organization_id, a.rate_card_id) = (card.organization_id, card.id) and (a.name = any($6::text[])
      or card.match_kind = 'prefix' and exists (select 1 from unnest($6::text[]) as named (name) where starts_with(named.name, a.name)))))
  and ($7::timestamptz is null or (card.organization_id, card.id) in (select v.organization_id, v.rate_card_id
    from rate_card_version v where v.organization_id in ($1, $2) and v.superseded_at is null
      and v.effective_from >= $7::timestamptz and v.effective_from < $8::timestamptz))`;

function parametersOf({ organizationId, search, provider, isOwn, names, effective }: WantedCards): unknown[] {
  const times = [effective?.from ?? null, effective?.before ?? null];
  return [organizationId, GLOBAL_TENANT, search, provider, isOwn, names, ...times];
}

const BY_MODEL = 'card.model_slug collate "C", card.provider_slug collate "C" nulls first, card.id';

/**
 * Sorted by model, then by provider. The page is chosen first, because PostgreSQL would otherwise also build the versions
 * of all cards before it.
 */
export function listCards(
  tx: Transaction,
  wanted: WantedCards,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<RatedCard[]> {
  return readCards(
    tx,
    `(card.organization_id, card.id) in (
      select card.organization_id, card.id from rate_card card where ${WANTED} order by ${BY_MODEL} limit $9 offset $10)
    order by ${BY_MODEL}`,
    [...parametersOf(wanted), limit, offset],
  );
}

export async function countCards(tx: Transaction, wanted: WantedCards): Promise<number> {
  const text = `select count(*)::float8 as cards from rate_card card where ${WANTED}`;
  return (await queryOne<{ cards: number }>(tx, text, parametersOf(wanted))).cards;
}

/** At most one card; empty if the organization may not use it. */
export function findCardsById(tx: Transaction, organizationId: string, id: string): Promise<RatedCard[]> {
  return readCards(tx, 'card.organization_id in ($1, $2) and card.id = $3', [GLOBAL_TENANT, organizationId, id]);
}

/** The organization's own cards. */
export function findOwnCards(tx: WriteTransaction, organizationId: string): Promise<RatedCard[]> {
  return readCards(tx, 'card.organization_id = $1', [organizationId]);
}

/** Standard cards of the catalogue. */
export function findCatalogueCards(tx: WriteTransaction): Promise<RatedCard[]> {
  return readCards(tx, "card.organization_id = $1 and card.match_kind = 'catalogue'", [GLOBAL_TENANT]);
}

const rates = (of: string) =>
  `json_build_object(${TOKEN_CLASS_NAMES.map((name) => `'${name}', ${of}.${wireName(name)}::text`).join(', ')})`;

const SELECT = `
  select card.id, card.organization_id, card.provider_slug, card.model_slug, card.match_kind,
    array(select name from rate_alias a where (a.organization_id, a.rate_card_id) = (card.organization_id, card.id)) as names,
    (select coalesce(json_agg(json_build_object('id', v.id,
        'from', extract(epoch from v.effective_from) * 1000, 'to', extract(epoch from v.effective_to) * 1000,
        'rates', ${rates('v')},
        'tiers', (select coalesce(json_agg(json_build_object('above', t.above_input_tokens,
            'rates', ${rates('t')}) order by t.above_input_tokens), '[]')
          from rate_tier t where (t.organization_id, t.rate_card_version_id) = (v.organization_id, v.id)),
        'variants', (select coalesce(json_agg(json_build_object('context', r.context, 'class', r.class,
            'above', r.above_input_tokens, 'rate', r.rate::text, 'factor', r.factor::text, 'source', r.source)), '[]')
          from rate_variant r where (r.organization_id, r.rate_card_version_id) = (v.organization_id, v.id)),
        'unitPrices', v.unit_prices, 'perUnit', v.per_unit::text, 'perUnitName', v.per_unit_name)
      order by v.effective_from nulls first), '[]')
    from rate_card_version v
    where (v.organization_id, v.rate_card_id) = (card.organization_id, card.id) and v.superseded_at is null) as versions
  from rate_card card where `;

type RatesRow = Record<keyof TokenRates, string | null>;

interface VersionRow {
  id: string;
  from: number | null;
  to: number | null;
  rates: RatesRow;
  tiers: { above: number; rates: RatesRow }[];
  variants: {
    context: string;
    class: RateVariant['class'];
    above: number;
    rate: string | null;
    factor: string | null;
    source: string;
  }[];
  unitPrices: Record<string, string>;
  perUnit: string | null;
  perUnitName: string | null;
}

interface CardRow {
  id: string;
  organizationId: string;
  providerSlug: string | null;
  modelSlug: string;
  matchKind: 'catalogue' | 'prefix';
  names: string[];
  versions: VersionRow[];
}

async function readCards(tx: Transaction, condition: string, parameters: readonly unknown[]): Promise<RatedCard[]> {
  const rows = await query<CardRow>(tx, SELECT + condition, parameters);
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organizationId === GLOBAL_TENANT ? null : row.organizationId,
    providerSlug: row.providerSlug,
    modelSlug: row.modelSlug,
    matchKind: row.matchKind,
    names: row.names,
    versions: row.versions.map(readVersion),
  }));
}

function readVersion(row: VersionRow): DatedVersion {
  return {
    id: row.id,
    fromMs: row.from,
    toMs: row.to,
    version: {
      rates: readRates(row.rates),
      tiers: row.tiers.map(({ above, rates }) => ({ aboveInputTokens: above, ...readRates(rates) })),
      ...(row.variants.length === 0 ? {} : { variants: row.variants.map(readVariant) }),
      unitPrices: Object.fromEntries(Object.entries(row.unitPrices).map(([name, price]) => [name, money(price)])),
      perUnit: amount(row.perUnit),
      perUnitName: row.perUnitName,
    },
  };
}

function readVariant({ above, rate, factor, ...variant }: VersionRow['variants'][number]): RateVariant {
  return { ...variant, aboveInputTokens: above, rate: amount(rate), factor: amount(factor) };
}

function readRates(row: RatesRow): TokenRates {
  return byRate((name) => amount(row[name]));
}

function amount(text: string | null): Money | null {
  return text === null ? null : money(text);
}
