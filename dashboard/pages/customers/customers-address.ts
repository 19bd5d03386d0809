/**
 * The URL of a list of customers: `/customers?window=30d&only=losing&sort=-cost`, and the corresponding input of the
 * graph.
 */
import { now } from '#platform/clock.ts';
import type { VariablesOf } from '#schema/graphql.ts';
import type { MARGIN_COLUMNS } from '../../figures/margin-rows.ts';
import { windowChoice, type WindowChoice, windowParameters } from '../../figures/window-choice.ts';

type Filter = NonNullable<VariablesOf<'Customers'>['filter']>;

/** Selections of customers. By default all of them, the largest losses first. */
export const SELECTIONS = {
  all: { label: 'All', filter: {} },
  losing: { label: 'Losing money', filter: { only: 'UNPROFITABLE' } },
  paying: { label: 'Paying', filter: { only: 'PAYING' } },
  nonpaying: { label: 'Paying nothing', filter: { only: 'NOT_PAYING' } },
  unmatched: { label: 'Not linked to Stripe', filter: { only: 'UNMATCHED' } },
  unlinked: { label: 'Unassigned revenue', filter: {} },
} as const satisfies Record<string, { label: string; filter: Filter }>;
export type Selection = keyof typeof SELECTIONS;

/** Graph order by its name in the URL; a leading minus reverses it. */
const ORDERS = { margin: 'MARGIN', percent: 'PERCENT', cost: 'COST', revenue: 'REVENUE', name: 'NAME' } as const;
type Order = keyof typeof ORDERS;
export const ORDER_OF_COLUMN: Record<(typeof MARGIN_COLUMNS)[number], Order> = {
  Customer: 'name',
  Revenue: 'revenue',
  Cost: 'cost',
  Margin: 'margin',
  'Margin %': 'percent',
};

export interface CustomersView {
  readonly window: WindowChoice;
  readonly only: Selection;
  readonly sort: Order;
  readonly descending: boolean;
  readonly after: string | null;
}

export function parseView(query: URLSearchParams): CustomersView {
  const [only, sort] = [query.get('only') ?? '', query.get('sort') ?? ''];
  const order = sort.replace('-', '');
  return {
    window: windowChoice(query, now()),
    only: Object.hasOwn(SELECTIONS, only) ? (only as Selection) : 'all',
    sort: Object.hasOwn(ORDERS, order) ? (order as Order) : 'margin',
    descending: sort.startsWith('-'),
    after: query.get('after'),
  };
}

export function parametersOf({ window, only, sort, descending, after }: CustomersView): [string, string][] {
  return [
    ...windowParameters(window),
    ['only', only],
    ['sort', `${descending ? '-' : ''}${sort}`],
    ...(after === null ? [] : [['after', after] as [string, string]]),
  ];
}

export function pathOf(view: CustomersView, path = '/customers'): string {
  return `${path}?${new URLSearchParams(parametersOf(view)).toString()}`;
}

/** Revenue without an end user has no margin and cannot be searched. */
export function isUnlinkedList({ only }: CustomersView, search: string): boolean {
  return only === 'unlinked' && search === '';
}

export function filterOf({ only }: CustomersView, search: string): Filter {
  return { ...SELECTIONS[only].filter, ...(search === '' ? {} : { search }) };
}

export function orderBy({ sort, descending }: CustomersView) {
  return { by: ORDERS[sort], descending };
}
