/**
 * Keys for grouping and filtering costs: their names in URLs and on pages, and their form in the graph. An end user is
 * a `customer` here, identified by the service's own UUID.
 */
import type { EndUserId } from '#kernel/ids.ts';
import { COST_GROUPINGS } from '#schema/cost-groupings.ts';
import type { VariablesOf } from '#schema/graphql.ts';

export interface CostCondition {
  readonly key: string;
  readonly value: string;
}

type CostFilter = NonNullable<VariablesOf<'CostGroups'>['filter']>;
type CostKey = NonNullable<VariablesOf<'CostLayers'>['by']>;

interface PageGrouping {
  readonly label: string;
  readonly key: CostKey;
  /** The metadata key to filter by; undefined if the graph has a filter of its own. */
  readonly metadata: string | undefined;
}

const OWN_FILTERS: readonly CostKey[] = ['END_USER', 'AGENT', 'MODEL', 'PROVIDER', 'SESSION'];

/** Groupings by their name in URLs. */
const GROUPS: Readonly<Record<string, PageGrouping>> = Object.fromEntries(
  (Object.keys(COST_GROUPINGS) as CostKey[]).map((key) => {
    const { name, label, field } = COST_GROUPINGS[key];
    return [name, { label, key, metadata: OWN_FILTERS.includes(key) ? undefined : field }];
  }),
);
export const GROUP_NAMES = Object.keys(GROUPS);

/** Costs by API key have a page of their own: only the ledger stores keys, and it has no other grouping. */
export const KEY_GROUP = 'key';

const DIMENSION = 'dimension.';
/** Events without an end user: the graph's nil UUID. */
const NO_ONE = { name: 'none', id: '00000000-0000-0000-0000-000000000000' };

/** True for the name of a grouping or a dimension. */
export function isCostKey(name: string): boolean {
  return Object.hasOwn(GROUPS, name) || (dimensionOf(name) ?? '') !== '';
}

/** `Customer`, or a dimension's label. */
export function groupLabel(
  name: string,
  dimensions: readonly { readonly key: string; readonly label: string }[],
): string {
  const key = dimensionOf(name);
  return key === null ? (GROUPS[name]?.label ?? name) : (dimensions.find((one) => one.key === key)?.label ?? key);
}

/** Name of a dimension in groups and filters. */
export function dimensionGroup(key: string): string {
  return `${DIMENSION}${key}`;
}

/** Converts groups to input of the graph. */
export function toGrouping(groups: readonly string[]): { keys: CostKey[]; dimensions: string[] } {
  return {
    keys: groups.flatMap((name) => GROUPS[name]?.key ?? []),
    dimensions: groups.flatMap((name) => dimensionOf(name) ?? []),
  };
}

/** Converts filters to input of the graph. */
export function toCostFilter(filters: readonly CostCondition[]): CostFilter {
  const valueOf = (name: string) => filters.find(({ key }) => key === name)?.value;
  const [customer, session] = [valueOf('customer'), valueOf('session')];
  const dimensions = filters.flatMap(({ key, value }) => {
    const inMetadata = dimensionOf(key) ?? GROUPS[key]?.metadata;
    return inMetadata === undefined ? [] : [{ key: inMetadata, value }];
  });
  return Object.fromEntries(
    Object.entries({
      endUserId: customer === NO_ONE.name ? NO_ONE.id : customer,
      agent: valueOf('agent'),
      model: valueOf('model'),
      provider: valueOf('provider'),
      dimensions: dimensions.length > 0 ? dimensions : undefined,
      in: session === undefined ? undefined : [{ key: 'SESSION' as const, values: [session] }],
    }).filter(([, value]) => value !== undefined),
  );
}

/** The filter for a group's value; `endUserId` is null for events without an end user. */
export function conditionOf(
  name: string,
  { value, endUserId }: { value: string; endUserId: EndUserId | null },
): CostCondition {
  return { key: name, value: name === 'customer' ? (endUserId ?? NO_ONE.name) : value };
}

function dimensionOf(name: string): string | null {
  return name.startsWith(DIMENSION) ? name.slice(DIMENSION.length) : null;
}
