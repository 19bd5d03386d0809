/** The few fields of an event needed to move it between processing states, without its content. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { rowById } from '#platform/database/row-by-id.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';

export interface EventOutline {
  readonly id: string;
  readonly livemode: boolean;
  readonly model: string;
  readonly provider: string | null;
  readonly endUserExternalId: string | null;
  /** ISO 8601 UTC with six fraction digits. */
  readonly eventTime: string;
  readonly eventTimeMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const READ_EVENT_OUTLINES = statement<
  OutlineRow,
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>(`
  select event.id, livemode, model, provider, end_user_external_id, input_tokens::float8, output_tokens::float8,
    ${isoMicros('event_time')} as event_time_iso
  from unnest(:ids::uuid[]) as wanted (id) cross join lateral ${rowById('usage_event', ':organizationId', 'wanted.id')} as event`);

export async function readEventOutlines(
  tx: Transaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<EventOutline[]> {
  const rows = await tx.all(READ_EVENT_OUTLINES, { organizationId, ids });
  return rows.map((row) => ({
    id: row.id,
    livemode: row.livemode,
    model: row.model,
    provider: row.provider,
    endUserExternalId: row.endUserExternalId,
    eventTime: row.eventTimeIso,
    eventTimeMs: Date.parse(row.eventTimeIso),
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
  }));
}

type OutlineRow = {
  id: string;
  livemode: boolean;
  model: string;
  provider: string | null;
  endUserExternalId: string | null;
  inputTokens: number;
  outputTokens: number;
  eventTimeIso: string;
};
