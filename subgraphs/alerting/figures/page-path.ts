/** Paths of dashboard pages, with a filter and a window whose ends are fixed. */
import type { OrganizationId } from '#kernel/ids.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { COST_GROUPINGS, type CostGroupingKey } from '#schema/cost-groupings.ts';
import type { CostFilter } from './cost-figures.step.ts';
import type { OutcomeFilter } from './outcome-figures.step.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { minuteOf } from '#kernel/time/instant.ts';

interface Window {
  readonly start: string;
  readonly end: string;
}

/** Pages that show the current state, and where it can be fixed. */
export const PAGES = {
  waitingModels: '/rates/waiting',
  payments: '/settings/payments',
  credits: '/settings/organization',
  rates: '/rates',
  bills: '/books/bills',
  allowances: '/allowances',
  agreements: '/rates/agreements',
  providerCredits: '/rates/credits',
  commitments: '/rates/commitments',
} as const;

/** A filter narrowed to one group; unchanged for a rule without groups. */
export function narrowed(
  filter: CostFilter | null,
  { by, dimension }: { readonly by: string | null | undefined; readonly dimension: string | null },
  value: string | null,
): CostFilter {
  const isGrouped = dimension !== null || (by ?? null) !== null;
  if (value === null || !isGrouped) return filter ?? {};
  if (by === 'END_USER') return { ...filter, endUser: value };
  if (by === 'AGENT') return { ...filter, agent: value };
  if (by === 'MODEL') return { ...filter, model: value };
  if (by === 'PROVIDER') return { ...filter, provider: value };
  const key = dimension ?? COST_GROUPINGS[by as CostGroupingKey].field;
  return { ...filter, dimensions: [...(filter?.dimensions ?? []), { key, value }] };
}

export function costsPath(
  organizationId: OrganizationId,
  window: Window,
  filter: CostFilter,
  grain?: 'day' | 'hour',
): string {
  const { endUser, agent, model, provider, dimensions } = filter;
  const conditions = [
    ...(typeof endUser === 'string' ? [['customer', endUserId(organizationId, endUser)]] : []),
    ...Object.entries({ agent, model, provider }).filter(([, value]) => typeof value === 'string'),
    ...(dimensions ?? []).map(({ key, value }) => [`dimension.${key}`, value]),
  ];
  const group = ['model', 'customer', 'agent', 'provider'].find((name) => !conditions.some(([key]) => key === name));
  const parameters = new URLSearchParams([...days(window), ['group', group ?? COST_GROUPINGS.FEATURE.name]]);
  for (const [key = '', value = ''] of conditions) parameters.append('filter', `${encodeURIComponent(key)}:${value}`);
  if (grain !== undefined) parameters.append('grain', grain);
  return `/costs?${readable(parameters)}`;
}

export function customerPath(id: string, window: Window): string {
  return `/customers/${id}?${readable(new URLSearchParams(days(window)))}`;
}

export function marginsPath(window: Window): string {
  return `/margins?${readable(new URLSearchParams(days(window)))}`;
}

/** The page of outcomes, with a filter. */
export function outcomesPath(
  organizationId: OrganizationId,
  window: Window,
  { names, endUser, agent, model }: OutcomeFilter,
): string {
  const parameters = new URLSearchParams(days(window));
  for (const name of names ?? []) parameters.append('name', name);
  if (typeof endUser === 'string') parameters.append('customer', endUserId(organizationId, endUser));
  for (const [key, value] of Object.entries({ agent, model }))
    if (typeof value === 'string') parameters.append(key, value);
  return `/outcomes?${readable(parameters)}`;
}

export function fixedCostsPath(window: Window): string {
  return `/costs/fixed?${readable(new URLSearchParams(days(window)))}`;
}

/** `name`: `2026-10`, or the Monday of a week. */
export function statementPath(unit: 'month' | 'week', name: string): string {
  return `/books/closing/statement?${unit}=${name}`;
}

/** A window of whole days by its dates, including the last one; any other window by its instants. */
function days({ start, end }: Window): [string, string][] {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  if (from % DAY_MS === 0 && to % DAY_MS === 0 && to > from)
    return [
      ['from', start.slice(0, 10)],
      ['to', new Date(to - DAY_MS).toISOString().slice(0, 10)],
    ];
  // The windows of rules begin and end at whole minutes.
  return [
    ['from', minuteOf(from)],
    ['to', minuteOf(to)],
  ];
}

function readable(parameters: URLSearchParams): string {
  return parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}
