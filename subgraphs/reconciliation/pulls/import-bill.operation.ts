/** Imports a bill from its text or from the parts of an upload. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomUuid } from '#platform/random.ts';
import { isUuid } from '#kernel/uuid.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { holdConnection } from '../connections/bill-connection.table.ts';
import { openConnection } from '../connections/open-connection.step.ts';
import { nameOfSource } from '../connections/source-facts.ts';
import type { BillImport, BillImportInput } from '../resolvers.generated.ts';
import { keepUpload, type PullKey, savePullParts } from './bill-pull-part.table.ts';
import { claimUpload, deleteUpload, readPart } from './bill-upload.table.ts';
import { type ReadBody, readBody } from './read-body.step.ts';
import { storeBill } from './store-bill.step.ts';

/**
 * Importing the same bytes again has no effect. Without `connectionId`, the bill belongs to the connection of its source
 * and provider, which is created if needed. Fails with `VALIDATION_ERROR` for a file that is not a bill, and `NOT_FOUND`
 * for an unknown connection or upload.
 */
export async function importBill(context: SubgraphContext, input: BillImportInput): Promise<BillImport> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf !== undefined) fail('FORBIDDEN', 'Bills cannot be imported into sample data');
  const { text = null, uploadId = null, connectionId = null } = input;
  if ((text === null) === (uploadId === null)) fail('VALIDATION_ERROR', 'text or uploadId is required, but not both');
  for (const [name, id] of Object.entries({ uploadId, connectionId }))
    if (id !== null && !isUuid(id)) fail('VALIDATION_ERROR', `${name} must be a UUID`);
  if (text !== null) {
    const body = Buffer.from(text);
    return storeRead(context, await readBody([body]), connectionId, (tx, pull) => savePullParts(tx, pull, [body]));
  }
  const claimedId = randomUuid();
  const { database, log } = context;
  try {
    const read = await readBody(uploadedParts(context, { organizationId, uploadId: uploadId!, claimedId }));
    return await storeRead(context, read, connectionId, (tx, pull) => keepUpload(tx, pull, claimedId));
  } finally {
    // Also deletes an upload that is not a bill, so that refused files do not use up the space for uploads. If that fails,
    // a job deletes it within a day.
    await database
      .write(organizationId, (tx) => deleteUpload(tx, organizationId, claimedId))
      .catch((err: unknown) => log.warn({ err, organizationId }, 'An upload could not be deleted'));
  }
}

function storeRead(
  context: SubgraphContext,
  read: ReadBody,
  connectionId: string | null,
  saveBytes: (tx: WriteTransaction, pull: PullKey) => Promise<void>,
): Promise<BillImport> {
  const organizationId = organizationOf(context);
  const { bill } = read;
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const id =
      connectionId ?? (await openConnection(tx, { organizationId, source: bill.source, name: nameOfSource(bill), at }));
    const connection = await holdConnection(tx, organizationId, id);
    if (connection === null) return fail('NOT_FOUND', 'connectionId: bill connection not found');
    if (connection.source !== bill.source)
      fail(
        'VALIDATION_ERROR',
        `connectionId: this file is from ${bill.source}, but the connection is for ${connection.source}`,
      );
    const stored = await storeBill(tx, { organizationId, connectionId: id, at }, read, (pull) => saveBytes(tx, pull));
    if (stored.isNew)
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'bill.imported',
        ...actorOf(context.principal),
        subjectId: stored.pullId,
        detail: `${bill.source}, ${stored.fromDay} to ${stored.toDay}: ${stored.lineCount} lines`,
      });
    const unread = bill.lines.filter(({ kind, meaning }) => kind === 'usage' && meaning?.verified !== true).length;
    return {
      connectionId: id,
      source: bill.source,
      fromDay: stored.fromDay,
      toDay: stored.toDay,
      isNew: stored.isNew,
      lines: stored.lineCount,
      unreadLines: unread,
    };
  });
}

async function* uploadedParts(
  { database }: SubgraphContext,
  { organizationId, uploadId, claimedId }: { organizationId: OrganizationId; uploadId: string; claimedId: string },
): AsyncGenerator<Buffer> {
  const parts = await database.write(
    organizationId,
    async (tx) =>
      (await claimUpload(tx, { organizationId, uploadId, claimedId })) ??
      fail('NOT_FOUND', 'uploadId: upload not found, or a part of it is missing'),
  );
  for (let part = 0; part < parts; part++)
    yield await database.snapshot(organizationId, (tx) => readPart(tx, { organizationId, uploadId: claimedId, part }));
}
