/** Outcomes as stated: one by its key, the attempts of a task, and a page of a window. */
import { sql } from 'kysely';
import { columnsOf, selectList } from '#platform/database/columns.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { query, queryOne } from '#platform/database/sql.ts';
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
  (input: Parameters<{ organizationId: string; livemode: boolean; key: string; asOf: string | null; limit: number }>) =>
    sql<OutcomeVersionRow>`
    select ${sql.raw(list('version'))}, ${sql.raw(isoMicros('version.recorded_at'))} as recorded_at from outcome_version version
    where version.organization_id = ${input.organizationId} and version.livemode = ${input.livemode} and version.key = ${input.key}
      and (${input.asOf}::timestamptz is null or version.recorded_at <= ${input.asOf}::timestamptz)
    order by version.stated_at desc, version.fingerprint collate "C" desc limit ${input.limit}`,
);

/** Versions of an outcome, the current one first: all, or those recorded up to an instant. */
export async function readVersions(
  tx: Transaction,
  input: { organizationId: string; livemode: boolean; key: string; asOf: string | null; limit: number },
): Promise<OutcomeVersionRow[]> {
  const rows = await tx.all(VERSIONS, input);
  return rows.map((row) => ({ ...canonical(row), recordedAt: canonicalInstant(row.recordedAt) }));
}

/** SQL for the outcomes of the task `$2`, or of the session `$3` if the task is null. */
const SAME_SUBJECT = `outcome.organization_id = $1 and outcome.livemode
  and ($2::text is not null and outcome.task = $2 or $2::text is null and outcome.task is null and outcome.session = $3)`;

/** In order of time, at most `limit`. */
export async function readAttempts(
  tx: Transaction,
  organizationId: string,
  { task, session }: { readonly task: string | null; readonly session: string | null },
  limit: number,
): Promise<OutcomeRow[]> {
  const rows = await query<OutcomeRow>(
    tx,
    `select ${list('outcome')} from outcome where ${SAME_SUBJECT} order by outcome.at, outcome.key limit $4::int`,
    [organizationId, task, session, limit],
  );
  return rows.map(canonical);
}

export interface OutcomePage {
  readonly window: Window;
  readonly names: readonly string[] | null;
  readonly endUser: string | null;
  readonly agent: string | null;
  readonly succeeded: boolean | null;
}

/** Newest first, with the number of all. */
export async function readOutcomePage(
  tx: Transaction,
  organizationId: string,
  { window, names, endUser, agent, succeeded }: OutcomePage,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: OutcomeRow[]; readonly totalCount: number }> {
  const from = `from outcome where outcome.organization_id = $1 and outcome.livemode
    and outcome.at >= $2::timestamptz and outcome.at < $3::timestamptz
    and ($4::text[] is null or outcome.name = any($4)) and ($5::text is null or outcome.end_user = $5)
    and ($6::text is null or outcome.agent = $6) and ($7::boolean is null or outcome.succeeded = $7)`;
  const parameters = [organizationId, window.start.iso, window.end.iso, names, endUser, agent, succeeded];
  const { count } = await queryOne<{ count: number }>(tx, `select count(*)::float8 as count ${from}`, parameters);
  const rows = await query<OutcomeRow>(
    tx,
    `select ${list('outcome')} ${from} order by outcome.at desc, outcome.key desc limit $8::int offset $9::int`,
    [...parameters, limit, offset],
  );
  return { rows: rows.map(canonical), totalCount: count };
}

function canonical<Row extends OutcomeRow>(row: Row): Row {
  return { ...row, at: canonicalInstant(row.at), statedAt: canonicalInstant(row.statedAt) };
}
