/**
 * Rows that arrive as arrays and belong to one organization or to several. Of one it stands in the statement as a value, so that a
 * server of many nodes can send the statement to the one that has it; of several, each row brings its own.
 */
export interface OfOrganization<Item> {
  readonly organizationId: string;
  readonly items: readonly Item[];
}

/** `arrays` are the other columns, `$2::text[], …`. What follows `select`, the organization first. */
export function organizationRows(isOfOne: boolean, arrays: string): string {
  return isOfOne
    ? `$1::uuid, item.* from unnest(${arrays}) as item`
    : `item.* from unnest($1::uuid[], ${arrays}) as item`;
}

/** `$1` of such a statement. */
export function organizationParameter(groups: readonly OfOrganization<unknown>[]): string | readonly string[] {
  const [first] = groups;
  if (groups.length === 1 && first) return first.organizationId;
  return groups.flatMap(({ organizationId, items }) => items.map(() => organizationId));
}

/** Those that have any items. */
export function withItems<Item>(groups: readonly OfOrganization<Item>[]): OfOrganization<Item>[] {
  return groups.filter(({ items }) => items.length > 0);
}
