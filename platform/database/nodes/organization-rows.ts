/**
 * Rows passed as arrays, for one organization or several. For one, its id is a value in the statement. On several
 * nodes, `insert … select` is routed whole only if it takes the organization from a row on its node: its
 * `organization_home`.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { isDistributed } from './distribution.ts';
import type { WriteTransaction } from '../transaction.ts';

export interface OfOrganization<Item> {
  readonly organizationId: OrganizationId;
  readonly items: readonly Item[];
}

/** Which rows a statement writes; `at-home`: one organization's, on its node. */
export type RowsForm = 'several' | 'one' | 'at-home';

/** A statement in its three forms. */
export function inEachForm<Sql>(build: (form: RowsForm) => Sql): Readonly<Record<RowsForm, Sql>> {
  return { several: build('several'), one: build('one'), 'at-home': build('at-home') };
}

/** The form for these groups. Throws for several organizations on several nodes. */
export function formOf(tx: WriteTransaction, groups: readonly OfOrganization<unknown>[]): RowsForm {
  if (groups.length === 1) return isDistributed(tx) ? 'at-home' : 'one';
  if (isDistributed(tx)) throw new Error('On several nodes, a transaction must be for one organization');
  return 'several';
}

/** Items that one statement may cover: all of them, or only one organization's on several nodes. */
export function statementsOf<Item extends { readonly organizationId: OrganizationId }>(
  tx: WriteTransaction,
  items: readonly Item[],
): (readonly Item[])[] {
  if (items.length === 0) return [];
  return isDistributed(tx) ? [...Map.groupBy(items, ({ organizationId }) => organizationId).values()] : [items];
}

/** Organizations that one statement may cover: all, or, on several nodes, one. */
export function organizationsOfStatement(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
): (readonly string[])[] {
  return statementsOf(
    tx,
    organizationIds.map((organizationId) => ({ organizationId })),
  ).map((some) => some.map(({ organizationId }) => organizationId));
}

/** SQL for the days of a statement with `daysInput`. */
interface DaysSql {
  /** Rows `d` of an organization and a day. */
  readonly days: string;
  /** The organization of a day. */
  readonly organization: string;
}

/** Builds the text of a statement with `daysInput` for a single node and for several. */
export function byDays(build: (sql: DaysSql) => string): {
  readonly onOneNode: string;
  readonly onSeveralNodes: string;
} {
  return {
    onOneNode: build({
      days: 'unnest(:organizationIds::uuid[], :days::date[]) as d (organization_id, day)',
      organization: 'd.organization_id',
    }),
    onSeveralNodes: build({
      days: '(select :organizationId::uuid as organization_id, day from unnest(:days::date[]) as day) as d',
      organization: ':organizationId',
    }),
  };
}

export interface DaysInput {
  readonly organizationIds: readonly OrganizationId[];
  readonly organizationId: OrganizationId | null;
  readonly days: readonly string[];
}

/** Input of a statement with `byDays`. On several nodes, all days must be of one organization. */
export function daysInput(
  days: readonly { readonly organizationId: OrganizationId; readonly day: string }[],
): DaysInput {
  return {
    organizationIds: days.map(({ organizationId }) => organizationId),
    organizationId: days[0]?.organizationId ?? null,
    days: days.map(({ day }) => day),
  };
}

/** The select list, organization first. `arrays` are the other columns: `:names::text[], …`. */
export function organizationRows(form: RowsForm, arrays: string): string {
  if (form === 'several') return `item.* from unnest(:organization::uuid[], ${arrays}) as item`;
  if (form === 'one') return `:organization::uuid, item.* from unnest(${arrays}) as item`;
  return `home.organization_id, item.* from organization_home home cross join unnest(${arrays}) as item where home.organization_id = :organization`;
}

/** The parameter `:organization` of such a statement. */
export function organizationParameter(groups: readonly OfOrganization<unknown>[]): string | readonly string[] {
  const [first] = groups;
  if (groups.length === 1 && first) return first.organizationId;
  return groups.flatMap(({ organizationId, items }) => items.map(() => organizationId));
}

export function withItems<Item>(groups: readonly OfOrganization<Item>[]): OfOrganization<Item>[] {
  return groups.filter(({ items }) => items.length > 0);
}
