/** Outcomes as stated: one by its key, the attempts of a task, and a page of a window. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { columnsOf, selectList } from '#platform/database/columns.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { canonicalInstant } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import { OutcomeTable, type StatedOutcome } from '../outcomes/outcome.table.ts';

const STATED = columnsOf(OutcomeTable).filter(
  ({ property }) => !['organizationId', 'versions', 'keptEvents'].includes(property),
);
const list = (alias: string): string => selectList(STATED, alias);

export interface OutcomeRow extends Omit<StatedOutcome, 'metadata'> {
  readonly livemode: boolean;
  /** JSON. */
  readonly metadata: string;
}

export interface OutcomeVersionRow extends OutcomeRow {
  readonly recordedAt: string;
}

const VERSIONS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      livemode: boolean;
      key: string;
      asOf: string | null;
      limit: number;
    }>,
  ) =>
    sql<OutcomeVersionRow>`
    select ${sql.raw(list('version'))}, ${sql.raw(isoMicros('version.recorded_at'))} as recorded_at from outcome_version version
    where version.organization_id = ${input.organizationId} and version.livemode = ${input.livemode} and version.key = ${input.key}
      and (${input.asOf}::timestamptz is null or version.recorded_at <= ${input.asOf}::timestamptz)
    order by version.stated_at desc, version.fingerprint collate "C" desc limit ${input.limit}`,
);

/** Versions of an outcome, the current one first: all, or those recorded up to an instant. */
export async function readVersions(
  tx: Transaction,
  input: { organizationId: OrganizationId; livemode: boolean; key: string; asOf: string | null; limit: number },
): Promise<OutcomeVersionRow[]> {
  const rows = await tx.all(VERSIONS, input);
  return rows.map((row) => ({ ...canonical(row), recordedAt: canonicalInstant(row.recordedAt) }));
}

interface Subject {
  readonly task: string | null;
  readonly session: string | null;
}

const ATTEMPTS = statement<OutcomeRow, Subject & { readonly organizationId: OrganizationId; readonly limit: number }>(`
  select ${list('outcome')} from outcome
  where outcome.organization_id = :organizationId and outcome.livemode
    and (:task::text is not null and outcome.task = :task
      or :task::text is null and outcome.task is null and outcome.session = :session)
  order by outcome.at, outcome.key limit :limit::int`);

/** Outcomes of the task, or of the session if the task is null. In chronological order, at most `limit`. */
export async function readAttempts(
  tx: Transaction,
  organizationId: OrganizationId,
  { task, session }: Subject,
  limit: number,
): Promise<OutcomeRow[]> {
  return (await tx.all(ATTEMPTS, { organizationId, task, session, limit })).map(canonical);
}

export interface OutcomePage {
  readonly window: Window;
  readonly names: readonly string[] | null;
  readonly endUser: string | null;
  readonly agent: string | null;
  readonly succeeded: boolean | null;
}

interface PageInput extends Omit<OutcomePage, 'window'> {
  readonly organizationId: OrganizationId;
  readonly start: string;
  readonly end: string;
}

const OF_PAGE = `from outcome where outcome.organization_id = :organizationId and outcome.livemode
  and outcome.at >= :start::timestamptz and outcome.at < :end::timestamptz
  and (:names::text[] is null or outcome.name = any(:names)) and (:endUser::text is null or outcome.end_user = :endUser)
  and (:agent::text is null or outcome.agent = :agent) and (:succeeded::boolean is null or outcome.succeeded = :succeeded)`;

const COUNT_OUTCOMES = statement<{ count: number }, PageInput>(`select count(*)::float8 as count ${OF_PAGE}`);

const LIST_OUTCOMES = statement<OutcomeRow, PageInput & { readonly limit: number; readonly offset: number }>(`
  select ${list('outcome')} ${OF_PAGE} order by outcome.at desc, outcome.key desc limit :limit::int offset :offset::int`);

/** A page of outcomes, newest first, with the number of all. */
export async function readOutcomePage(
  tx: Transaction,
  organizationId: OrganizationId,
  { window, ...filter }: OutcomePage,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: OutcomeRow[]; readonly totalCount: number }> {
  const input = { organizationId, start: window.start.iso, end: window.end.iso, ...filter };
  const { count } = await tx.one(COUNT_OUTCOMES, input);
  const rows = await tx.all(LIST_OUTCOMES, { ...input, limit, offset });
  return { rows: rows.map(canonical), totalCount: count };
}

function canonical<Row extends OutcomeRow>(row: Row): Row {
  return { ...row, at: canonicalInstant(row.at), statedAt: canonicalInstant(row.statedAt) };
}
