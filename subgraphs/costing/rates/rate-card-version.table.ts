/**
 * What a rate card charges during one stretch of time. Rates of a version are never altered: a change closes it and opens
 * another, a correction supersedes it. No two versions of a card are in force at once (an exclusion constraint).
 */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { plain, type Money } from '../../../kernel/money.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { randomUuid } from '../../../platform/random.ts';
import { byRate, TOKEN_CLASS_NAMES, wireName } from '../../../schema/token-classes.ts';
import type { RateCardVersion, TokenRates } from './rate-card-version.ts';
import { rateTable } from './rate-table.ts';

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
    /** Inclusive; null: since ever. */
    effectiveFrom: p.datetime(3).nullable(),
    /** Exclusive; null: until further notice. */
    effectiveTo: p.datetime(3).nullable(),
    ...rateProperties,
    perUnit: rate(),
    perUnitName: p.text().nullable(),
    /** Decimal strings by name, USD per unit. */
    unitPrices: p.json<Readonly<Record<string, string>>>(),
    createdAt: p.datetime(3),
    /** Since when another version has taken its whole place; it prices nothing any more, but old entries name it. */
    supersededAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'rate_card_version_card_index', properties: ['organizationId', 'rateCardId'] }],
});

export type RateCardVersionRow = InferEntity<typeof RateCardVersionTable>;

export interface NewVersion {
  readonly organizationId: string;
  readonly id: string;
  readonly rateCardId: string;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly version: RateCardVersion;
}

/** Inserts versions with their tiers, in two statements. */
export async function insertVersions(em: EntityManager, versions: readonly NewVersion[], at: Date): Promise<void> {
  await query(
    em,
    `
    insert into rate_card_version (created_at, organization_id, id, rate_card_id, effective_from, effective_to, unit_prices,
      per_unit, per_unit_name, ${RATE_COLUMNS})
    select $1, * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::jsonb[],
      $8::numeric[], $9::text[], ${numerics(10)})`,
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
  const tiers = versions.flatMap((each) => each.version.tiers.map((tier) => ({ each, tier })));
  if (tiers.length === 0) return;
  await query(
    em,
    `
    insert into rate_tier (organization_id, rate_card_version_id, above_input_tokens, ${RATE_COLUMNS})
    select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], ${numerics(4)})`,
    [
      tiers.map(({ each }) => each.organizationId),
      tiers.map(({ each }) => each.id),
      tiers.map(({ tier }) => tier.aboveInputTokens),
      ...rateColumns(tiers.map(({ tier }) => tier)),
    ],
  );
}

/**
 * Opens a version of a card from an instant on (null: since ever) until its next version begins. The one in force then is
 * closed; one that began at that very instant is superseded.
 */
export async function openVersion(
  em: EntityManager,
  card: Pick<NewVersion, 'organizationId' | 'id'>,
  from: Date | null,
  version: RateCardVersion,
  at: Date,
): Promise<NewVersion> {
  const key = [card.organizationId, card.id, from];
  const timeline = 'organization_id = $1 and rate_card_id = $2 and superseded_at is null';
  await query(
    em,
    `
    update rate_card_version set superseded_at = $4 where ${timeline} and effective_from is not distinct from $3`,
    [...key, at],
  );
  await query(
    em,
    `
    update rate_card_version set effective_to = $3
    where ${timeline} and (effective_from is null or effective_from < $3) and (effective_to is null or effective_to > $3)`,
    key,
  );
  const [next] = await query<{ starts: string | null }>(
    em,
    `
    select min(effective_from)::text as starts from rate_card_version
    where ${timeline} and ($3::timestamptz is null or effective_from > $3)`,
    key,
  );
  const to = next?.starts ? new Date(next.starts) : null;
  const opened = { organizationId: card.organizationId, id: randomUuid(), rateCardId: card.id, from, to, version };
  await insertVersions(em, [opened], at);
  return opened;
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
