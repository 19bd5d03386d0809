/** A fixed cost: an amount over a period, the usage it covers, and how it is divided among customers. */
import type { Amount, Money, Quantity } from '#kernel/money.ts';
import { TOKEN_CLASS_NAMES, TOKEN_CLASSES, type TokenClass, wireName } from '#schema/token-classes.ts';

/** The measure that a customer's share is proportional to. `none`: the cost stays with the organization. */
export const DRIVERS = ['tokens', 'events', 'cost', 'units', 'equal', 'shares', 'none'] as const;
export type Driver = (typeof DRIVERS)[number];

/** Drivers that measure usage, and thus can have a capacity. */
export const MEASURED_DRIVERS: ReadonlySet<Driver> = new Set(['tokens', 'events', 'cost', 'units']);

export const RATE_UNITS = ['hour', 'day', 'month', 'period'] as const;
export type RateUnit = (typeof RATE_UNITS)[number];

/** Attribution keys that each event in the ledger keeps, even if its metadata is removed. */
export const SCOPE_DIMENSIONS = [
  'feature',
  'agent_id',
  'workflow_id',
  'experiment_id',
  'variant',
  'session_type',
] as const;
export type ScopeDimension = (typeof SCOPE_DIMENSIONS)[number];

/** The usage that a fixed cost covers; null: all. An event must meet every condition. */
export interface Scope {
  /** In lower case, with `*` at the end for a prefix. */
  readonly models: readonly string[] | null;
  readonly endUsers: readonly string[] | null;
  readonly dimensions: readonly { readonly key: ScopeDimension; readonly values: readonly string[] }[];
}

/** A fixed part for an end user. */
export interface FixedShare {
  readonly externalId: string;
  /** Percent, as a decimal string. */
  readonly percent: string;
}

export interface Period {
  /** First UTC day. */
  readonly fromDay: string;
  /** The day after the last day; null if there is no end. */
  readonly untilDay: string | null;
  /** USD per unit of time and piece. */
  readonly amount: Money;
  readonly per: RateUnit;
  /** Number of pieces, for example seats. */
  readonly quantity: Quantity;
}

export interface FixedCostTerms {
  readonly key: string;
  readonly name: string;
  /** The payee, for display. */
  readonly provider: string | null;
  readonly driver: Driver;
  /** The named unit of the driver `units`; null: the events' own `units`. */
  readonly unit: string | null;
  /** In the driver's unit per day; null: unlimited or unknown. */
  readonly capacity: Amount | null;
  /**
   * Weight of a token by class, as decimal strings. A class without a weight has the weight of the class at whose rate
   * it would be priced.
   */
  readonly weights: Readonly<Record<string, string>>;
  readonly scope: Scope;
  readonly shares: readonly FixedShare[];
  /**
   * Calls in its scope have no cost of their own, as with provisioned throughput: the margin after fixed costs leaves
   * out their model cost.
   */
  readonly replacesModelCost: boolean;
  /** In order, without overlapping days. */
  readonly periods: readonly Period[];
}

export interface FixedCost extends FixedCostTerms {
  readonly id: string;
  /** Incremented whenever the terms change; every allocated day records the revision it was computed with. */
  readonly revision: number;
  /** Number of end-user erasures. An allocation computed before an erasure is not stored after it. */
  readonly erasures: number;
  readonly changedAt: Date;
}

/** The weight of every token class by its wire name. */
export function weightsByClass(weights: Readonly<Record<string, string>>): Record<string, string> {
  const weightOf = (name: TokenClass): string => {
    const { rateLike } = TOKEN_CLASSES[name];
    return weights[wireName(name)] ?? (rateLike === null ? '1' : weightOf(rateLike));
  };
  return Object.fromEntries(TOKEN_CLASS_NAMES.map((name) => [wireName(name), weightOf(name)]));
}
