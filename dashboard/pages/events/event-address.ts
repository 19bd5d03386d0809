/**
 * The URL of an event list: `/events?window=30d&filter=agent:support&filter=status:failed&sort=-cost`. Filters are
 * those of `/costs`, plus `key` (an API key's id), `status` and `min` (USD).
 */
import { fail } from '#kernel/errors.ts';
import type { VariablesOf } from '#schema/graphql.ts';
import { costPath, type CostView, parseCostView, plainView } from '../../figures/cost-address.ts';
import { toCostFilter } from '../../figures/cost-keys.ts';
import { windowChoice, windowParameters } from '../../figures/window-choice.ts';

type EventFilter = NonNullable<VariablesOf<'EventsPage'>['filter']>;
type EventStatus = NonNullable<EventFilter['status']>;

interface EventCondition {
  readonly key: string;
  readonly value: string;
}

export interface EventView {
  readonly window: CostView['window'];
  readonly filters: readonly EventCondition[];
  readonly isByCost: boolean;
  /** Cursor of the page. */
  readonly after: string | null;
}

export const STATUSES: Readonly<Record<string, { readonly label: string; readonly status: EventStatus }>> = {
  completed: { label: 'Priced', status: 'COMPLETED' },
  pending_rate_card: { label: 'Waiting for a rate', status: 'PENDING_RATE_CARD' },
  pending: { label: 'Queued', status: 'PENDING' },
  failed: { label: 'Failed', status: 'FAILED' },
};

/** Filters that events have and costs do not. */
export const OWN_FILTERS: Readonly<Record<string, string>> = {
  key: 'API key',
  status: 'State',
  min: 'Cost, at least',
};

/** Fails with `VALIDATION_ERROR` if the query does not match the grammar. */
export function parseEventView(query: URLSearchParams, now: Date): EventView {
  const texts = query.getAll('filter').map((text) => ({ text, key: text.split(':', 1)[0] ?? '' }));
  const [own, ofCosts] = [true, false].map((isOwn) =>
    texts.filter(({ key }) => Object.hasOwn(OWN_FILTERS, key) === isOwn),
  );
  const costs = new URLSearchParams(ofCosts?.map(({ text }) => ['filter', text]));
  const { filters } = parseCostView(costs, now);
  const sort = query.get('sort') || '-time';
  if (sort !== '-time' && sort !== '-cost') fail('VALIDATION_ERROR', 'sort must be -time or -cost.');
  return {
    window: windowChoice(query, now),
    filters: [...filters, ...(own ?? []).map(({ key, text }) => ({ key, value: text.slice(key.length + 1) }))],
    isByCost: sort === '-cost',
    after: query.get('after') || null,
  };
}

/** URL of a view; changing the list returns to the first page. */
export function eventPath(view: EventView, changes: Partial<EventView> = {}, path = '/events'): string {
  return `${path}?${new URLSearchParams(eventParameters({ ...view, after: null, ...changes })).toString()}`;
}

/** Parameters for the URL of a view, and for the hidden fields of a form. */
export function eventParameters({ window, filters, isByCost, after }: EventView): [string, string][] {
  return [
    ...windowParameters(window),
    ...filters.map(({ key, value }): [string, string] => ['filter', `${encodeURIComponent(key)}:${value}`]),
    ...(isByCost ? [['sort', '-cost'] as [string, string]] : []),
    ...(after === null ? [] : [['after', after] as [string, string]]),
  ];
}

/** The view with one more filter, which replaces one of the same name. */
export function narrowedEvents(view: EventView, condition: EventCondition): string {
  return eventPath(view, { filters: [...view.filters.filter(({ key }) => key !== condition.key), condition] });
}

/** The filters as the graph takes them. The customer is passed by external id, which never appears in URLs. */
export function toEventFilter({ filters }: EventView, customer: string | null): EventFilter {
  const valueOf = (name: string) => filters.find(({ key }) => key === name)?.value;
  const status = valueOf('status');
  if (status !== undefined && !Object.hasOwn(STATUSES, status))
    fail('VALIDATION_ERROR', `status must be one of ${Object.keys(STATUSES).join(', ')}.`);
  const { agent, model, provider, dimensions } = toCostFilter(filters);
  return Object.fromEntries(
    Object.entries({
      agent,
      model,
      provider,
      dimensions,
      endUser: customer ?? undefined,
      hasEndUser: valueOf('customer') === 'none' ? false : undefined,
      session: valueOf('session'),
      apiKey: valueOf('key'),
      status: STATUSES[status ?? '']?.status,
      minCost: valueOf('min'),
    }).filter(([, value]) => value !== undefined),
  );
}

/** The address of costs with the same window and the filters that costs support. */
export function costsOf({ window, filters }: EventView): string {
  const known = filters.filter(({ key }) => !Object.hasOwn(OWN_FILTERS, key));
  return costPath(plainView(window, 'model'), { filters: known });
}
