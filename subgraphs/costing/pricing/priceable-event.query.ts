/** Reads stored events with everything that pricing, the ledger and the feed need of them. */
import { parseExactJson } from '../../../kernel/exact-json.ts';
import { isoMicros } from '../../../platform/database/iso-sql.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { mapInSlices } from '../../../platform/slices.ts';
import { query } from '../../../platform/database/sql.ts';
import type { Attribution } from '../events/event-dimensions.ts';
import type { PriceableUsage } from './price-usage.ts';

export interface PriceableEvent extends PriceableUsage, Attribution {
  readonly id: string;
  readonly livemode: boolean;
  readonly model: string;
  readonly provider: string | null;
  readonly endUserExternalId: string | null;
  /** ISO 8601 UTC with six fraction digits. */
  readonly eventTime: string;
  readonly eventTimeMs: number;
  readonly sessionId: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
}

/** Columns of `usage_event` (as `e`) for `toPriceableEvent`. */
export const PRICEABLE_COLUMNS = `
  e.id, e.livemode, e.model, e.provider, e.end_user_external_id, e.input_tokens::float8, e.output_tokens::float8,
  e.cache_creation_input_tokens::float8, e.cache_read_input_tokens::float8, e.reasoning_tokens::float8,
  ${isoMicros('e.event_time')} as event_time_iso,
  e.cost_override::text, e.units::text, e.metadata::text as metadata_text, e.feature, e.agent_id, e.workflow_id,
  e.experiment_id, e.variant, e.session_id, e.session_type, e.span_id, e.parent_span_id`;

export interface PriceableRow {
  id: string;
  livemode: boolean;
  model: string;
  provider: string | null;
  end_user_external_id: string | null;
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  reasoning_tokens: number | null;
  event_time_iso: string;
  cost_override: string | null;
  units: string | null;
  metadata_text: string | null;
  feature: string | null;
  agent_id: string | null;
  workflow_id: string | null;
  experiment_id: string | null;
  variant: string | null;
  session_id: string | null;
  session_type: string | null;
  span_id: string | null;
  parent_span_id: string | null;
}

/**
 * Each event by the primary key, whatever the statistics say: on a table that has grown since they were taken, `id = any(…)`
 * becomes a scan of all the organization's events.
 */
const BY_ID = `
  select ${PRICEABLE_COLUMNS}
    from unnest($2::uuid[]) as wanted (id)
   cross join lateral (select * from usage_event where organization_id = $1 and id = wanted.id offset 0) as e`;

export async function readPriceableEvents(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<PriceableEvent[]> {
  return mapInSlices(await query<PriceableRow>(em, BY_ID, [organizationId, ids]), toPriceableEvent);
}

export function toPriceableEvent(row: PriceableRow): PriceableEvent {
  return {
    id: row.id,
    livemode: row.livemode,
    model: row.model,
    provider: row.provider,
    endUserExternalId: row.end_user_external_id,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheCreationInputTokens: row.cache_creation_input_tokens,
    cacheReadInputTokens: row.cache_read_input_tokens,
    reasoningTokens: row.reasoning_tokens,
    eventTime: row.event_time_iso,
    eventTimeMs: Date.parse(row.event_time_iso),
    costOverride: row.cost_override,
    units: row.units,
    metadata: row.metadata_text === null ? null : (parseExactJson(row.metadata_text) as Record<string, unknown>),
    feature: row.feature,
    agentId: row.agent_id,
    workflowId: row.workflow_id,
    experimentId: row.experiment_id,
    variant: row.variant,
    sessionId: row.session_id,
    sessionType: row.session_type,
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
  };
}
