/** Filter and order of an event list. */
import { parseAmount } from '#kernel/parse-amount.ts';
import { isUuid } from '#kernel/uuid.ts';
import { fail } from '#kernel/errors.ts';
import type { EventFilter, EventOrder, EventStatus } from '../../resolvers.generated.ts';

/** The value for events without a key, as in cost breakdowns. */
const UNASSIGNED = 'Unassigned';

const DIMENSION_FILTERS_MAX = 5;

/** Attribution keys with columns of their own, which take precedence over metadata of the same name. */
const COLUMNS: Readonly<Record<string, string>> = {
  feature: 'feature',
  agent_id: 'agent_id',
  workflow_id: 'workflow_id',
  experiment_id: 'experiment_id',
  variant: 'variant',
  session_type: 'session_type',
};

const STATUSES: Readonly<Record<EventStatus, string>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  PENDING: 'pending',
  PENDING_RATE_CARD: 'pending_rate_card',
};

/** Adds a parameter to the statement and returns its placeholder. */
type Place = (value: unknown) => string;

/** An SQL condition on a row of `usage_event`, or on the sums of its entries (`cost`). */
type EventCondition = (place: Place) => string;

export interface EventSelection {
  readonly endUser: string | null;
  readonly status: string | null;
  /** USD, as a plain decimal. */
  readonly minCost: string | null;
  /** Conditions that only use the event. */
  readonly conditions: readonly EventCondition[];
  /** Conditions on the event and on `cost`, the sums of its entries. */
  readonly costConditions: readonly EventCondition[];
  readonly order: EventOrder;
}

/** Fails with `VALIDATION_ERROR` for a filter that cannot match anything. */
export function parseEventFilter(filter: EventFilter | null | undefined, order: EventOrder): EventSelection {
  const { endUser, hasEndUser, status, minCost, model, provider, agent, session, apiKey, dimensions } = filter ?? {};
  if (typeof apiKey === 'string' && !isUuid(apiKey)) fail('VALIDATION_ERROR', 'apiKey must be the id of an API key');
  if (dimensions && dimensions.length > DIMENSION_FILTERS_MAX)
    fail('VALIDATION_ERROR', `Events can be filtered by at most ${DIMENSION_FILTERS_MAX} dimensions`);
  const isPriced = typeof status !== 'string' || status === 'COMPLETED';
  if (order === 'COST' && !isPriced)
    fail('VALIDATION_ERROR', `Events with status ${STATUSES[status]} have no cost to order by`);
  const keys = [...(typeof agent === 'string' ? [{ key: 'agent_id', value: agent }] : []), ...(dimensions ?? [])];
  return {
    endUser: endUser ?? null,
    status: typeof status === 'string' ? STATUSES[status] : null,
    minCost: typeof minCost === 'string' ? checkedCost(minCost) : null,
    conditions: [
      ...(typeof hasEndUser === 'boolean'
        ? [() => `event.end_user_external_id is ${hasEndUser ? 'not null' : 'null'}`]
        : []),
      ...(typeof apiKey === 'string' ? [(place: Place) => `event.api_key_id = ${place(apiKey)}::uuid`] : []),
      ...(typeof session === 'string' ? [(place: Place) => `event.session_id = ${place(session)}`] : []),
      ...keys.map(({ key, value }) => ofDimension(key, value)),
    ],
    costConditions: [
      ...(typeof model === 'string' ? [ofEither('event.model', 'cost.model_slug', model)] : []),
      ...(typeof provider === 'string' ? [ofEither('event.provider', 'cost.provider_slug', provider)] : []),
    ],
    order,
  };
}

function ofDimension(key: string, value: string): EventCondition {
  return (place) => {
    const column = Object.hasOwn(COLUMNS, key) ? `event.${COLUMNS[key]}, ` : '';
    return `coalesce(${column}event.metadata ->> ${place(key)}::text, '${UNASSIGNED}') = ${place(value)}`;
  };
}

/** Matches the value as sent, or the slug of the card that priced the event. */
function ofEither(sent: string, priced: string, value: string): EventCondition {
  return (place) => {
    const wanted = place(value);
    return `(${sent} = ${wanted} or ${priced} = ${wanted})`;
  };
}

function checkedCost(text: string): string {
  return parseAmount(text) ?? fail('VALIDATION_ERROR', 'minCost must be an amount, 0 or more');
}
