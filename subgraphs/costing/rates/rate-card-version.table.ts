/**
 * The prices of a rate card for a period. Rates of a version never change: a price change closes the version and opens
 * another, a correction supersedes it. Versions of a card never overlap (enforced by an exclusion constraint).
 */
import { defineEntity, p } from '@mikro-orm/core';
import { plain, type Money } from '#kernel/money.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { byRate, TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
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
     * When another version replaced this one completely. It no longer prices events, but existing ledger entries refer
     * to it.
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
  readonly organizationId: string;
  readonly id: string;
  readonly rateCardId: string;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly version: RateCardVersion;
}

/** Inserts versions with their tiers and variants, in three statements. */
export async function insertVersions(tx: WriteTransaction, versions: readonly NewVersion[], at: Date): Promise<void> {
  await query(
    tx,
    `
    insert into rate_card_version (created_at, organization_id, id, rate_card_id, effective_from, effective_to, unit_prices,
      per_unit, per_unit_name, ${RATE_COLUMNS})
    select $1, item.* from ${rateRows} unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::jsonb[],
      $8::numeric[], $9::text[], ${numerics(10)}) as item`,
    [
      at,
      versions.map((each) => each.organizationId),
      versions.map((each) => each.id),
      versions.map((each) => each.rateCardId),
      versions.map((each) => each.from),
      versions.map((each) => each.to),
      versions.map(({ version }) => pricesText(version.unitPrices)),
      versions.map(({ version }) => text(version.perUnit)),
      versions.map(({ version }) => version.perUnitName),
      ...rateColumns(versions.map(({ version }) => version.rates)),
    ],
  );
  await insertRateVariants(
    tx,
    versions.flatMap(({ organizationId, id, version }) =>
      (version.variants ?? []).map((variant) => ({ organizationId, rateCardVersionId: id, variant })),
    ),
  );
  const tiers = versions.flatMap((each) => each.version.tiers.map((tier) => ({ each, tier })));
  if (tiers.length === 0) return;
  await query(
    tx,
    `
    insert into rate_tier (organization_id, rate_card_version_id, above_input_tokens, ${RATE_COLUMNS})
    select item.* from ${rateRows} unnest($1::uuid[], $2::uuid[], $3::bigint[], ${numerics(4)}) as item`,
    [
      tiers.map(({ each }) => each.organizationId),
      tiers.map(({ each }) => each.id),
      tiers.map(({ tier }) => tier.aboveInputTokens),
      ...rateColumns(tiers.map(({ tier }) => tier)),
    ],
  );
}

/** A version to add to a card from an instant on (null: no lower bound). */
export type VersionToOpen = Pick<NewVersion, 'organizationId' | 'rateCardId' | 'from' | 'version'>;

/**
 * Opens versions, each until the next version of its card begins. The version in force is closed; one that starts at
 * the same instant is superseded. Versions of one card are opened one after the other, those of different cards in the
 * same few statements, since rates are locked the whole time.
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

async function openOnePerCard(tx: WriteTransaction, versions: readonly VersionToOpen[], at: Date): Promise<void> {
  const keys = [
    versions.map(({ organizationId }) => organizationId),
    versions.map(({ rateCardId }) => rateCardId),
    versions.map(({ from }) => from),
  ];
  const opened = 'unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as opened (organization_id, rate_card_id, starts)';
  const timeline =
    '(v.organization_id, v.rate_card_id) = (opened.organization_id, opened.rate_card_id) and v.superseded_at is null';
  await query(
    tx,
    `
    update rate_card_version v set superseded_at = $4 from ${opened}
    where ${timeline} and v.effective_from is not distinct from opened.starts`,
    [...keys, at],
  );
  await query(
    tx,
    `
    update rate_card_version v set effective_to = opened.starts from ${opened}
    where ${timeline} and (v.effective_from is null or v.effective_from < opened.starts)
      and (v.effective_to is null or v.effective_to > opened.starts)`,
    keys,
  );
  const next = await query<{ rateCardId: string; starts: string }>(
    tx,
    `
    select v.rate_card_id, min(v.effective_from)::text as starts from rate_card_version v join ${opened} on ${timeline}
    where opened.starts is null and v.effective_from is not null or v.effective_from > opened.starts group by 1`,
    keys,
  );
  const ends = new Map(next.map(({ rateCardId, starts }) => [rateCardId, new Date(starts)]));
  const ids = uuidsV7(versions.length);
  await insertVersions(
    tx,
    versions.map((each, index) => ({ ...each, id: ids[index]!, to: ends.get(each.rateCardId) ?? null })),
    at,
  );
}

/** Closes the version in force at an instant, and supersedes versions that start at that instant or later. */
export async function endVersions(
  tx: WriteTransaction,
  { organizationId, rateCardId, end }: { organizationId: string; rateCardId: string; end: Date },
  at: Date,
): Promise<void> {
  const timeline = 'organization_id = $1 and rate_card_id = $2 and superseded_at is null';
  await query(tx, `update rate_card_version set superseded_at = $4 where ${timeline} and effective_from >= $3`, [
    organizationId,
    rateCardId,
    end,
    at,
  ]);
  await query(
    tx,
    `update rate_card_version set effective_to = $3
     where ${timeline} and (effective_to is null or effective_to > $3)`,
    [organizationId, rateCardId, end],
  );
}

const RATE_COLUMNS = TOKEN_CLASS_NAMES.map(wireName).join(', ');
const numerics = (first: number) => TOKEN_CLASS_NAMES.map((_, index) => `$${first + index}::numeric[]`).join(', ');

/** In the order of `RATE_COLUMNS`. */
function rateColumns(rates: readonly TokenRates[]): (string | null)[][] {
  return TOKEN_CLASS_NAMES.map((name) => rates.map((each) => text(each[name])));
}

function pricesText(prices: Readonly<Record<string, Money>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, plain(price)])));
}

function text(amount: Money | null): string | null {
  return amount === null ? null : plain(amount);
}
