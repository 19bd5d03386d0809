/**
 * The prices of a rate card for a period. Rates of a version never change: a price change closes the version and opens
 * another, a correction supersedes it. Versions of a card never overlap (enforced by an exclusion constraint).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { plain, type Money } from '#kernel/money.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { byRate, TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import type { RateCardVersion, TokenRates } from './rate-card-version.ts';
import { rateRows, rateTable } from './rate-table.ts';
import { insertRateVariants } from './rate-variant.table.ts';

/** USD per million tokens, or per unit. */
const rate = () => p.decimal().precision(18).scale(9).nullable();

export const rateProperties = byRate((name) => rate().fieldName(wireName(name)));

export const RateCardVersionTable = defineEntity({
  name: 'RateCardVersion',
  tableName: 'rate_card_version',
  ...rateTable(),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    rateCardId: p.uuid(),
    /** Inclusive; null: no lower bound. */
    effectiveFrom: p.datetime(3).nullable(),
    /** Exclusive; null: still in force. */
    effectiveTo: p.datetime(3).nullable(),
    ...rateProperties,
    perUnit: rate(),
    perUnitName: p.text().nullable(),
    /** Decimal strings by name, in USD per unit. */
    unitPrices: p.json<Readonly<Record<string, string>>>(),
    createdAt: p.datetime(3),
    /**
     * Time at which another version replaced this one completely. It no longer prices events, but existing ledger
     * entries refer to it.
     */
    supersededAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'rate_card_version_card_index', properties: ['organizationId', 'rateCardId'] },
    {
      name: 'rate_card_version_effective_index',
      properties: ['organizationId', 'effectiveFrom'],
      where: 'effective_from is not null and superseded_at is null',
    },
  ],
});

export interface NewVersion {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly rateCardId: string;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly version: RateCardVersion;
}

const RATE_COLUMNS = TOKEN_CLASS_NAMES.map(wireName).join(', ');
/** Parameters of the rates, in the order of `RATE_COLUMNS`. */
const RATE_ARRAYS = TOKEN_CLASS_NAMES.map((name) => `:${name}::numeric[]`).join(', ');

/** USD per million tokens, as text, in the order of the rows. */
type RatesByClass = Readonly<Record<TokenClass, readonly (string | null)[]>>;

interface VersionColumns extends RatesByClass {
  readonly at: Date;
  readonly organizationIds: readonly OrganizationId[];
  readonly ids: readonly string[];
  readonly rateCardIds: readonly string[];
  readonly starts: readonly (Date | null)[];
  readonly ends: readonly (Date | null)[];
  /** JSON. */
  readonly unitPrices: readonly string[];
  readonly perUnits: readonly (string | null)[];
  readonly perUnitNames: readonly (string | null)[];
}

const INSERT_VERSIONS = statement<object, VersionColumns>(`
  insert into rate_card_version (created_at, organization_id, id, rate_card_id, effective_from, effective_to, unit_prices,
    per_unit, per_unit_name, ${RATE_COLUMNS})
  select :at, item.* from ${rateRows} unnest(:organizationIds::uuid[], :ids::uuid[], :rateCardIds::uuid[],
    :starts::timestamptz[], :ends::timestamptz[], :unitPrices::jsonb[], :perUnits::numeric[], :perUnitNames::text[],
    ${RATE_ARRAYS}) as item`);

interface TierColumns extends RatesByClass {
  readonly organizationIds: readonly OrganizationId[];
  readonly versionIds: readonly string[];
  readonly sizes: readonly number[];
}

const INSERT_TIERS = statement<object, TierColumns>(`
  insert into rate_tier (organization_id, rate_card_version_id, above_input_tokens, ${RATE_COLUMNS})
  select item.* from ${rateRows} unnest(:organizationIds::uuid[], :versionIds::uuid[], :sizes::bigint[], ${RATE_ARRAYS}) as item`);

/** Inserts versions with their tiers and variants, in three statements. */
export async function insertVersions(tx: WriteTransaction, versions: readonly NewVersion[], at: Date): Promise<void> {
  await tx.run(INSERT_VERSIONS, {
    at,
    organizationIds: versions.map((each) => each.organizationId),
    ids: versions.map((each) => each.id),
    rateCardIds: versions.map((each) => each.rateCardId),
    starts: versions.map((each) => each.from),
    ends: versions.map((each) => each.to),
    unitPrices: versions.map(({ version }) => pricesText(version.unitPrices)),
    perUnits: versions.map(({ version }) => text(version.perUnit)),
    perUnitNames: versions.map(({ version }) => version.perUnitName),
    ...ratesByClass(versions.map(({ version }) => version.rates)),
  });
  await insertRateVariants(
    tx,
    versions.flatMap(({ organizationId, id, version }) =>
      (version.variants ?? []).map((variant) => ({ organizationId, rateCardVersionId: id, variant })),
    ),
  );
  const tiers = versions.flatMap((each) => each.version.tiers.map((tier) => ({ each, tier })));
  if (tiers.length === 0) return;
  await tx.run(INSERT_TIERS, {
    organizationIds: tiers.map(({ each }) => each.organizationId),
    versionIds: tiers.map(({ each }) => each.id),
    sizes: tiers.map(({ tier }) => tier.aboveInputTokens),
    ...ratesByClass(tiers.map(({ tier }) => tier)),
  });
}

/** A version to add to a card, in force from an instant (null: no lower bound). */
export type VersionToOpen = Pick<NewVersion, 'organizationId' | 'rateCardId' | 'from' | 'version'>;

/**
 * Opens versions, each until the next version of its card begins. The version in force is closed; one that starts at
 * the same instant is superseded. Versions of one card are opened one after the other. Different cards share the same
 * few statements, because rates are locked the whole time.
 */
export async function openVersions(tx: WriteTransaction, versions: readonly VersionToOpen[], at: Date): Promise<void> {
  let left = versions;
  while (left.length > 0) {
    const ofEachCard = [...Map.groupBy(left, ({ rateCardId }) => rateCardId).values()];
    await openOnePerCard(
      tx,
      ofEachCard.flatMap((ofOne) => ofOne.slice(0, 1)),
      at,
    );
    left = ofEachCard.flatMap((ofOne) => ofOne.slice(1));
  }
}

interface OpenedColumns {
  readonly organizationIds: readonly OrganizationId[];
  readonly rateCardIds: readonly string[];
  readonly starts: readonly (Date | null)[];
}

const OPENED =
  'unnest(:organizationIds::uuid[], :rateCardIds::uuid[], :starts::timestamptz[]) as opened (organization_id, rate_card_id, starts)';
/** The versions of the opened cards. */
const OF_OPENED =
  '(v.organization_id, v.rate_card_id) = (opened.organization_id, opened.rate_card_id) and v.superseded_at is null';

const SUPERSEDE_SAME_START = statement<object, OpenedColumns & { readonly at: Date }>(`
  update rate_card_version v set superseded_at = :at from ${OPENED}
  where ${OF_OPENED} and v.effective_from is not distinct from opened.starts`);

const CLOSE_AT_START = statement<object, OpenedColumns>(`
  update rate_card_version v set effective_to = opened.starts from ${OPENED}
  where ${OF_OPENED} and (v.effective_from is null or v.effective_from < opened.starts)
    and (v.effective_to is null or v.effective_to > opened.starts)`);

const FIND_NEXT_STARTS = statement<{ rateCardId: string; starts: string }, OpenedColumns>(`
  select v.rate_card_id, min(v.effective_from)::text as starts from rate_card_version v join ${OPENED} on ${OF_OPENED}
  where opened.starts is null and v.effective_from is not null or v.effective_from > opened.starts group by 1`);

async function openOnePerCard(tx: WriteTransaction, versions: readonly VersionToOpen[], at: Date): Promise<void> {
  const opened: OpenedColumns = {
    organizationIds: versions.map(({ organizationId }) => organizationId),
    rateCardIds: versions.map(({ rateCardId }) => rateCardId),
    starts: versions.map(({ from }) => from),
  };
  await tx.run(SUPERSEDE_SAME_START, { ...opened, at });
  await tx.run(CLOSE_AT_START, opened);
  const next = await tx.all(FIND_NEXT_STARTS, opened);
  const ends = new Map(next.map(({ rateCardId, starts }) => [rateCardId, new Date(starts)]));
  const ids = uuidsV7(versions.length);
  await insertVersions(
    tx,
    versions.map((each, index) => ({ ...each, id: ids[index]!, to: ends.get(each.rateCardId) ?? null })),
    at,
  );
}

interface EndInput {
  readonly organizationId: OrganizationId;
  readonly rateCardId: string;
  readonly end: Date;
}

const OF_CARD = 'organization_id = :organizationId and rate_card_id = :rateCardId and superseded_at is null';

const SUPERSEDE_FROM = statement<object, EndInput & { readonly at: Date }>(
  `update rate_card_version set superseded_at = :at where ${OF_CARD} and effective_from >= :end`,
);

const CLOSE_AT_END = statement<object, EndInput>(`
  update rate_card_version set effective_to = :end
  where ${OF_CARD} and (effective_to is null or effective_to > :end)`);

/** Closes the version in force at an instant, and supersedes versions that start at that instant or later. */
export async function endVersions(tx: WriteTransaction, input: EndInput, at: Date): Promise<void> {
  await tx.run(SUPERSEDE_FROM, { ...input, at });
  await tx.run(CLOSE_AT_END, input);
}

function ratesByClass(rates: readonly TokenRates[]): RatesByClass {
  return byRate((name) => rates.map((each) => text(each[name])));
}

function pricesText(prices: Readonly<Record<string, Money>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, plain(price)])));
}

function text(amount: Money | null): string | null {
  return amount === null ? null : plain(amount);
}
