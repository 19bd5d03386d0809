/**
 * What a rate card charges during one stretch of time. Rates of a version are never altered: a change closes it and opens
 * another, a correction supersedes it. No two versions of a card are in force at once (an exclusion constraint).
 */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { rateTable } from './rate-table.ts';

/** USD per million tokens, or per unit. */
export const rate = () => p.decimal().precision(18).scale(9).nullable();

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
    input: rate(),
    output: rate(),
    cacheCreation: rate(),
    cacheCreation1h: rate().fieldName('cache_creation_1h'),
    cacheRead: rate(),
    reasoning: rate(),
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
