/** Batches point reads: reads of one event-loop tick share a connection and are sent as one message. */
import type { OrganizationId } from '#kernel/ids.ts';
import DataLoader from 'dataloader';
import pg from 'pg';
import { type BoundValue, bindValue } from './connections/bind-value.ts';
import type { GuardedClient } from './connections/guarded-client.ts';
import type { BatchStatement } from './connections/pipelined-batch.ts';

export interface PointRead extends BatchStatement {
  /** The organization whose rows row-level security shows; null for reads across organizations. */
  readonly organizationId: OrganizationId | null;
}

export type PointReadAnswer = object[] | Error;

/**
 * Maximum number of reads in a message, so that one message delays few reads, and every connection is used under
 * overload.
 */
const BATCH_READS_MAX = 16;

/**
 * Sets the organization until the end of the transaction. Without a `begin`, the message is the transaction. Returns no
 * row.
 */
const SET_ORGANIZATION = "select where set_config('app.organization_id', $1, true) is null";

/** `answer` reads for one organization and never fails. */
export function pointReads(
  answer: (organizationId: OrganizationId | null, reads: readonly PointRead[]) => Promise<readonly PointReadAnswer[]>,
): (organizationId: OrganizationId | null, text: string, values: readonly unknown[]) => Promise<object[]> {
  const loader = new DataLoader<PointRead, object[]>(
    async (reads) => {
      const answers = new Map<PointRead, PointReadAnswer>();
      await Promise.all(
        [...Map.groupBy(reads, ({ organizationId }) => organizationId)].map(async ([organizationId, own]) => {
          const rows = await answer(organizationId, own);
          own.forEach((read, index) => answers.set(read, rows[index]!));
        }),
      );
      return reads.map((read) => answers.get(read)!);
    },
    {
      cache: false,
      maxBatchSize: BATCH_READS_MAX,
      // Runs after the callbacks of this event-loop tick, so that requests from several sockets share a batch.
      batchScheduleFn: (dispatch) => setImmediate(dispatch),
    },
  );
  return async (organizationId, text, values) => loader.load({ organizationId, text, values: values.map(bindValue) });
}

/** Each read gets its own result: if one fails, the others are sent again. */
export async function answerPointReads(
  client: GuardedClient,
  organizationId: OrganizationId | null,
  reads: readonly PointRead[],
): Promise<PointReadAnswer[]> {
  const settings = organizationId === null ? [] : [settingOrganization(organizationId)];
  const answers: PointReadAnswer[] = [];
  while (answers.length < reads.length) {
    const { results, error } = await client.batch([...settings, ...reads.slice(answers.length)]);
    answers.push(...results.slice(settings.length));
    if (error === null) break;
    if (!isOfStatement(error)) return [...answers, ...reads.slice(answers.length).map(() => error)];
    answers.push(error);
  }
  return answers;
}

export function settingOrganization(organizationId: OrganizationId): { text: string; values: BoundValue[] } {
  return { text: SET_ORGANIZATION, values: [organizationId] };
}

/** True if only the statement failed; otherwise the connection is lost. */
function isOfStatement(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL';
}
