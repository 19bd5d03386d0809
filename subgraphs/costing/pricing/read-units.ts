/** Finds what an event counts besides tokens: its `units`, and the named things that a card may price (searches). */
import { quantity } from '../../../kernel/money.ts';
import type { Quantity } from '../../../kernel/money.ts';
import { parseAmount } from '../../../kernel/parse-amount.ts';
import type { UsageSource } from './usage-shape.ts';
import { valueAt } from './value-at.ts';

type Metadata = Readonly<Record<string, unknown>> | null | undefined;

/** Vendors' own places for a count, besides `metadata.<name>`. */
const VENDOR_PLACES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  web_searches: [['server_tool_use', 'web_search_requests'], ['num_search_queries']],
};

/** The first keys of all places, but for the names that cards give. */
export const UNIT_KEYS: readonly string[] = [
  'units',
  ...Object.entries(VENDOR_PLACES).flatMap(([name, places]) => [name, ...places.flatMap(([key]) => key ?? [])]),
];

/**
 * The event's `units` (top level wins over metadata, decision 9, D5): a number or a decimal string from 0, in the
 * form of `parse-amount.ts`.
 * Null: not reported or not a count; a per-unit card then cannot price the event, 1 is never assumed.
 */
export function readUnits(units: unknown, metadata: Metadata): Quantity | null {
  return amountOrNull(units) ?? amountOrNull(valueAt(metadata, ['units']));
}

/**
 * Counts of the named things, only for the names given (those that the card prices): `metadata.web_searches`,
 * `metadata.requests`, or the vendor's own place (`server_tool_use.web_search_requests`), in metadata and in what was sent of the
 * provider's usage object. A name that the event does
 * not report is absent from the result and costs nothing; a count that the card does not price is not a cost either.
 */
export function readUnitCounts(
  names: readonly string[],
  metadata: Metadata,
  sources: readonly UsageSource[] = [],
): Record<string, Quantity> {
  if (names.length === 0) return {};
  const holders = [...sources.map(({ fields }) => fields), metadata];
  return Object.fromEntries(
    names.flatMap((name) => {
      const places = [[name], ...(VENDOR_PLACES[name] ?? [])];
      const count = holders
        .flatMap((holder) => places.map((place) => amountOrNull(valueAt(holder, place))))
        .find((found) => found !== null);
      return count ? [[name, count]] : [];
    }),
  );
}

function amountOrNull(value: unknown): Quantity | null {
  const text = parseAmount(value);
  return text === null ? null : quantity(text);
}
