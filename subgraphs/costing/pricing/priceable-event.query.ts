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
  endUserExternalId: string | null;
  inputTokens: number;
  outputTokens: number;
  cacheCreationInputTokens: number | null;
  cacheReadInputTokens: number | null;
  reasoningTokens: number | null;
  eventTimeIso: string;
  costOverride: string | null;
  units: string | null;
  metadataText: string | null;
  feature: string | null;
  agentId: string | null;
  workflowId: string | null;
  experimentId: string | null;
  variant: string | null;
  sessionId: string | null;
  sessionType: string | null;
  spanId: string | null;
  parentSpanId: string | null;
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
    endUserExternalId: row.endUserExternalId,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cacheCreationInputTokens: row.cacheCreationInputTokens,
    cacheReadInputTokens: row.cacheReadInputTokens,
    reasoningTokens: row.reasoningTokens,
    eventTime: row.eventTimeIso,
    eventTimeMs: Date.parse(row.eventTimeIso),
    costOverride: row.costOverride,
    units: row.units,
    metadata: row.metadataText === null ? null : (parseExactJson(row.metadataText) as Record<string, unknown>),
    feature: row.feature,
    agentId: row.agentId,
    workflowId: row.workflowId,
    experimentId: row.experimentId,
    variant: row.variant,
    sessionId: row.sessionId,
    sessionType: row.sessionType,
    spanId: row.spanId,
    parentSpanId: row.parentSpanId,
  };
}
