/** Suggestions for the value of a filter: models, providers, agents, features and types of sessions of the period. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { remembered } from '#platform/remembered.ts';
import { graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';

const VALUES = graphql(`query FilterValues($start: Instant!, $end: Instant!, $first: Int!) {
  window(start: $start, end: $end) {
    models: costs(groupBy: [PROVIDER, MODEL], first: $first) { nodes { values { value } } }
    agents: costs(groupBy: [AGENT], first: $first) { nodes { values { value } } }
    features: costs(groupBy: [FEATURE], first: $first) { nodes { values { value } } }
    sessionTypes: costs(groupBy: [SESSION_TYPE], first: $first) { nodes { values { value } } }
  }
}`);

const VALUES_MAX = 100;

/** Every page with filters has suggestions, which need not contain the values of the last seconds. */
const recent = remembered<string[]>({ seconds: 30, resultsMax: 200 });

/**
 * The most expensive first; empty if they cannot be read. Only whole days are read, which is fastest: suggestions
 * need not be exact.
 */
export async function getFilterValues(
  gateway: GatewayClient,
  principal: Principal,
  period: { readonly start: string; readonly end: string },
): Promise<string[]> {
  const { organizationId, grants } = principal;
  const days = wholeDays(period);
  const { value } = await outcomeOf(
    recent(JSON.stringify([organizationId, grants, days]), () => readValues(gateway, principal, days)),
    [],
  );
  return value ?? [];
}

async function readValues(
  gateway: GatewayClient,
  principal: Principal,
  days: { readonly start: string; readonly end: string },
): Promise<string[]> {
  const { window } = await askGateway(gateway, VALUES, { ...days, first: VALUES_MAX }, principal);
  return [
    ...new Set(
      Object.values(window).flatMap(({ nodes }) => nodes.flatMap(({ values }) => values.map((one) => one.value))),
    ),
  ];
}

function wholeDays({ start, end }: { readonly start: string; readonly end: string }) {
  const dayOf = (round: (days: number) => number, instant: string) =>
    new Date(round(Date.parse(instant) / DAY_MS) * DAY_MS).toISOString();
  return { start: dayOf(Math.floor, start), end: dayOf(Math.ceil, end) };
}

/** The suggestions for an input with `list="filter-values"`. */
export function filterValues(values: readonly string[]): Html {
  return html`<datalist id="filter-values">${values.map((value) => html`<option value="${value}"></option>`)}</datalist>`;
}
