/** Booked usage of a window, grouped by everything a price depends on: tokens by class, and their cost. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { Window } from '#kernel/time/window.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';

/** Events with the same price: of one end user, model, card version, context and input size. */
export interface PricedGroup {
  /** Null: no end user. */
  readonly externalId: string | null;
  readonly modelSlug: string;
  readonly providerSlug: string;
  /** The version used by the last pricing; null if the caller stated the cost. */
  readonly rateCardVersionId: string | null;
  readonly pricingContext: string;
  /** The highest size threshold that each event's input exceeds; 0: none. */
  readonly aboveInputTokens: number;
  /** True if only tokens are charged, all for the event's own model, and no part of the context was ignored. */
  readonly isPlain: boolean;
  readonly events: number;
  readonly cost: string;
  readonly tokens: Readonly<Record<TokenClass, bigint>>;
}

export interface GroupsQuery {
  readonly organizationId: OrganizationId;
  readonly window: Window;
  /** Slugs; null: every model. */
  readonly models: readonly string[] | null;
  readonly endUser: string | null;
  readonly agent: string | null;
  /** Input sizes at which prices change, in ascending order. */
  readonly inputSizes: readonly number[];
}

const ITEMS = TOKEN_CLASS_NAMES.map((name) => wireName(name));
const SENT = ITEMS.filter((item) => !item.startsWith('output') && item !== 'reasoning');
const inList = (items: readonly string[]) => `(${items.map((item) => `'${item}'`).join(', ')})`;

/** A line is an array: class, quantity, rate, per, cost, reason, and the model if it is a different one. */
const LINES = `
  select ${ITEMS.map((item) => `coalesce(sum((line ->> 1)::numeric) filter (where line ->> 0 = '${item}'), 0) as ${item}`).join(', ')},
    coalesce(sum((line ->> 1)::numeric) filter (where line ->> 0 in ${inList(SENT)}), 0) as total_input,
    coalesce(bool_and(line ->> 0 in ${inList(ITEMS)} and line ->> 6 is null), true) as is_of_tokens
  from json_array_elements(entry.explanation -> 'lines') as line`;

/** Corrections appended later, if any: the last one determines the price. */
const CORRECTIONS = `
  select sum(total_cost) as cost,
    (array_agg(rate_card_version_id order by sequence desc) filter (where rate_card_version_id is not null))[1] as version_id,
    (array_agg(pricing_context order by sequence desc))[1] as context,
    (array_agg(unknown_context order by sequence desc))[1] as unknown_context,
    count(*) as entries
  from cost_entry as later
  where later.organization_id = :organizationId and later.event_id = entry.event_id and later.sequence > 0`;

/** Keyed by the wire names of the token classes. */
export const TOKEN_COLUMNS = ITEMS;

/** Parameters of `GROUPS`; null: all. */
export interface GroupsInput extends Omit<GroupsQuery, 'window'> {
  readonly start: string;
  readonly end: string;
}

export const GROUPS = `
  select external_id, model_slug, provider_slug, version_id as rate_card_version_id, context as pricing_context,
    above_input_tokens, is_plain, count(*)::float8 as events, sum(cost)::text as cost, ${ITEMS.map((item) => `sum(${item})::text as ${item}`).join(', ')}
  from (
    select event.end_user_external_id as external_id, entry.model_slug, entry.provider_slug,
      coalesce(correction.version_id, entry.rate_card_version_id)::text as version_id,
      case when correction.entries > 0 then correction.context else entry.pricing_context end as context,
      coalesce((select max(size) from unnest(:inputSizes::float8[]) as size where lines.total_input > size), 0) as above_input_tokens,
      lines.is_of_tokens and entry.rate_card_version_id is not null
        and case when correction.entries > 0 then correction.unknown_context else entry.unknown_context end is null as is_plain,
      entry.total_cost + coalesce(correction.cost, 0) as cost, ${ITEMS.map((item) => `lines.${item}`).join(', ')}
    from cost_entry as entry
    join usage_event as event on event.organization_id = entry.organization_id and event.id = entry.event_id
    cross join lateral (${LINES}) as lines
    cross join lateral (${CORRECTIONS}) as correction
    where entry.organization_id = :organizationId and entry.livemode and entry.sequence = 0
      and (entry.booked_time is null and entry.event_time >= :start::timestamptz and entry.event_time < :end::timestamptz
        or entry.booked_time >= :start::timestamptz and entry.booked_time < :end::timestamptz)
      and (:models::text[] is null or entry.model_slug = any(:models))
      and (:endUser::text is null or event.end_user_external_id = :endUser)
      and (:agent::text is null or event.agent_id = :agent)
  ) as priced
  group by 1, 2, 3, 4, 5, 6, 7`;

type GroupRow = Omit<PricedGroup, 'tokens'> & Readonly<Record<TokenClass, string>>;

const READ_GROUPS = statement<GroupRow, GroupsInput>(GROUPS);

/** Groups of usage from the individual events of a window. */
export async function readPricedGroups(tx: Transaction, { window, ...input }: GroupsQuery): Promise<PricedGroup[]> {
  const rows = await tx.all(READ_GROUPS, { ...input, start: window.start.iso, end: window.end.iso });
  return rows.map(toPricedGroup);
}

function toPricedGroup(row: GroupRow): PricedGroup {
  const tokens = Object.fromEntries(TOKEN_CLASS_NAMES.map((name) => [name, BigInt(row[name])]));
  return { ...row, tokens: tokens as PricedGroup['tokens'] };
}

interface ProfiledInput extends Pick<GroupsQuery, 'organizationId' | 'models' | 'endUser'> {
  readonly days: readonly string[];
}

const READ_PROFILED = statement<GroupRow, ProfiledInput>(`
  select nullif(external_id, '') as external_id, model_slug, provider_slug, nullif(rate_card_version_id, '') as rate_card_version_id,
    pricing_context, above_input_tokens::float8 as above_input_tokens, is_plain, sum(events)::float8 as events, sum(cost)::text as cost,
    ${ITEMS.map((item) => `sum(${item})::text as ${item}`).join(', ')}
  from usage_profile
  where organization_id = :organizationId and day = any(:days::timestamptz[]) and (:models::text[] is null or model_slug = any(:models))
    and (:endUser::text is null or external_id = :endUser)
  group by 1, 2, 3, 4, 5, 6, 7`);

/** Groups of usage from stored daily profiles, for all agents. */
export async function readProfiledGroups(
  tx: Transaction,
  { organizationId, models, endUser }: Omit<ProfiledInput, 'days'>,
  days: readonly string[],
): Promise<PricedGroup[]> {
  return (await tx.all(READ_PROFILED, { organizationId, days, models, endUser })).map(toPricedGroup);
}

const COUNT_BOOKED_EVENTS = statement<
  { events: number },
  { readonly organizationId: OrganizationId; readonly start: string; readonly end: string }
>(`select coalesce(sum(completed), 0)::float8 as events from cost_hour
     where organization_id = :organizationId and hour >= date_trunc('hour', :start::timestamptz, 'UTC') and hour < :end::timestamptz`);

/** An upper bound for the number of events in the window, because hours are counted as a whole. */
export async function countBookedEvents(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
): Promise<number> {
  const { events } = await tx.one(COUNT_BOOKED_EVENTS, {
    organizationId,
    start: window.start.iso,
    end: window.end.iso,
  });
  return events;
}
