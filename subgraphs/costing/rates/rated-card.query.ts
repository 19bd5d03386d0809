/** Reads rate cards with all their names and versions, for matching and pricing: one query for any number of cards. */
import type { OrganizationId } from '#kernel/ids.ts';
import { money, type Money, quantity } from '#kernel/money.ts';
import { type Statement, statement } from '#platform/database/statement.ts';
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
  organizationId: OrganizationId;
  providerSlug: string | null;
  modelSlug: string;
  matchKind: 'catalogue' | 'prefix';
  names: string[];
  versions: VersionRow[];
}

/** A statement for the cards that meet a condition. */
export const cardsWhere = <Input>(condition: string) => statement<CardRow, Input>(SELECT + condition);

export interface OfOrganization {
  readonly organizationId: OrganizationId;
}

export const OWN_OR_STANDARD = `card.organization_id in ('${GLOBAL_TENANT}', :organizationId)`;

const BY_NAME = cardsWhere<OfOrganization & { readonly names: readonly string[] }>(`(card.organization_id, card.id) in (
    select organization_id, rate_card_id from rate_alias
    where name = any(:names::text[]) and organization_id in ('${GLOBAL_TENANT}', :organizationId))`);

/** Cards of the organization and standard cards that have one of the names. */
export function findCardsByName(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  names: readonly string[],
): Promise<RatedCard[]> {
  return readCards(tx, BY_NAME, { organizationId, names });
}

const OF_VERSIONS = cardsWhere<
  OfOrganization & { readonly versionIds: readonly string[] }
>(`${OWN_OR_STANDARD} and exists (
    select 1 from rate_card_version v
    where (v.organization_id, v.rate_card_id) = (card.organization_id, card.id) and v.id = any(:versionIds::uuid[]))`);

/** The cards whose versions priced an organization's events, without versions superseded since. */
export async function findCardsOfVersions(
  tx: Transaction,
  organizationId: OrganizationId,
  versionIds: readonly string[],
): Promise<RatedCard[]> {
  return versionIds.length === 0 ? [] : readCards(tx, OF_VERSIONS, { organizationId, versionIds });
}

const ALL = cardsWhere<OfOrganization>(OWN_OR_STANDARD);

/** Every card that the organization may use. */
export function findAllCards(tx: Transaction, organizationId: OrganizationId): Promise<RatedCard[]> {
  return readCards(tx, ALL, { organizationId });
}

const BY_ID = cardsWhere<OfOrganization & { readonly id: string }>(`${OWN_OR_STANDARD} and card.id = :id`);

/** Returns the card, or nothing if it does not exist or the organization may not use it. */
export function findCardsById(tx: Transaction, organizationId: OrganizationId, id: string): Promise<RatedCard[]> {
  return readCards(tx, BY_ID, { organizationId, id });
}

const OWN = cardsWhere<OfOrganization>('card.organization_id = :organizationId');

/** The organization's own cards. */
export function findOwnCards(tx: WriteTransaction, organizationId: OrganizationId): Promise<RatedCard[]> {
  return readCards(tx, OWN, { organizationId });
}

const OF_CATALOGUE = cardsWhere<OfOrganization>(
  "card.organization_id = :organizationId and card.match_kind = 'catalogue'",
);

/** Standard cards of the catalogue. */
export function findCatalogueCards(tx: WriteTransaction): Promise<RatedCard[]> {
  return readCards(tx, OF_CATALOGUE, { organizationId: GLOBAL_TENANT });
}

export async function readCards<Input>(
  tx: Transaction,
  cards: Statement<Input, CardRow>,
  input: Input,
): Promise<RatedCard[]> {
  const rows = await tx.all(cards, input);
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
  return { ...variant, aboveInputTokens: above, rate: amount(rate), factor: factor === null ? null : quantity(factor) };
}

function readRates(row: RatesRow): TokenRates {
  return byRate((name) => amount(row[name]));
}

function amount(text: string | null): Money | null {
  return text === null ? null : money(text);
}
