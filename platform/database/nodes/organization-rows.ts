/**
 * Rows passed as arrays, for one organization or several. For one, its id is a value in the statement. On several
 * nodes, `insert … select` is routed whole only if it takes the organization from a row on its node: its
 * `organization_home`.
 */
import { isDistributed } from './distribution.ts';
import type { WriteTransaction } from '../transaction.ts';

export interface OfOrganization<Item> {
  readonly organizationId: string;
  readonly items: readonly Item[];
}

/** Which rows a statement writes; `at-home`: one organization's, on its node. */
export type RowsForm = 'several' | 'one' | 'at-home';

/** The statement in each form. */
export function inEachForm<Sql>(build: (form: RowsForm) => Sql): Readonly<Record<RowsForm, Sql>> {
  return { several: build('several'), one: build('one'), 'at-home': build('at-home') };
}

export function formOf(tx: WriteTransaction, groups: readonly OfOrganization<unknown>[]): RowsForm {
  if (groups.length === 1) return isDistributed(tx) ? 'at-home' : 'one';
  if (isDistributed(tx)) throw new Error('On several nodes a transaction is of one organization');
  return 'several';
}

/** Items that one statement may cover: all, or, on several nodes, those of one organization. */
export function statementsOf<Item extends { readonly organizationId: string }>(
  tx: WriteTransaction,
  items: readonly Item[],
): (readonly Item[])[] {
  if (items.length === 0) return [];
  return isDistributed(tx) ? [...Map.groupBy(items, ({ organizationId }) => organizationId).values()] : [items];
}

/** SQL for the days `d` of such a statement; `daysParameters` are its first parameters. */
export function ofDays(tx: WriteTransaction): string {
  return isDistributed(tx)
    ? '(select $1::uuid as organization_id, day from unnest($2::date[]) as day) as d'
    : 'unnest($1::uuid[], $2::date[]) as d (organization_id, day)';
}

/** SQL for the organization of a day in `ofDays`. */
export function organizationOfDay(tx: WriteTransaction): string {
  return isDistributed(tx) ? '$1' : 'd.organization_id';
}

export function daysParameters(
  tx: WriteTransaction,
  days: readonly { readonly organizationId: string; readonly day: string }[],
): [string | undefined | string[], string[]] {
  const organizationIds = days.map(({ organizationId }) => organizationId);
  return [isDistributed(tx) ? organizationIds[0] : organizationIds, days.map(({ day }) => day)];
}

/** The select list, organization first. `arrays` are the other columns: `$2::text[], …`. */
export function organizationRows(form: RowsForm, arrays: string): string {
  if (form === 'several') return `item.* from unnest($1::uuid[], ${arrays}) as item`;
  if (form === 'one') return `$1::uuid, item.* from unnest(${arrays}) as item`;
  return `home.organization_id, item.* from organization_home home cross join unnest(${arrays}) as item where home.organization_id = $1`;
}

/** Parameter `$1` of such a statement. */
export function organizationParameter(groups: readonly OfOrganization<unknown>[]): string | readonly string[] {
  const [first] = groups;
  if (groups.length === 1 && first) return first.organizationId;
  return groups.flatMap(({ organizationId, items }) => items.map(() => organizationId));
}

export function withItems<Item>(groups: readonly OfOrganization<Item>[]): OfOrganization<Item>[] {
  return groups.filter(({ items }) => items.length > 0);
}
