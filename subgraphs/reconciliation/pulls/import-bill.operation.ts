/** Imports a bill from its text or from the parts of an upload. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { now } from '#platform/clock.ts';
import { isUuid } from '#kernel/uuid.ts';
import { randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { ensureConnection, holdConnection } from '../connections/bill-connection.table.ts';
import { nameOfSource, settleHoursOf } from '../connections/source-facts.ts';
import type { ReadBill } from '../lines/bill-line.ts';
import type { BillImport, BillImportInput } from '../resolvers.generated.ts';
import { deleteUpload, readUpload } from './bill-upload.table.ts';
import { readBody, storeBill } from './import-bill.step.ts';

/**
 * Importing the same bytes twice is importing them once. Without a connection, the bill belongs to the one of its source
 * and provider, which is created. Fails with `VALIDATION_ERROR` for a file that is not a bill, and `NOT_FOUND` for an
 * unknown connection or upload.
 */
export async function importBill(context: SubgraphContext, input: BillImportInput): Promise<BillImport> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf !== undefined) fail('FORBIDDEN', 'Bills cannot be imported into sample data');
  const { text = null, uploadId = null, connectionId = null } = input;
  if ((text === null) === (uploadId === null)) fail('VALIDATION_ERROR', 'text or uploadId is required, but not both');
  for (const [name, id] of Object.entries({ uploadId, connectionId }))
    if (id !== null && !isUuid(id)) fail('VALIDATION_ERROR', `${name} must be a UUID`);
  const body = text === null ? await uploadOf(context, organizationId, uploadId!) : Buffer.from(text);
  const bill = readBody(body);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const id = connectionId ?? (await connectionOf(tx, organizationId, bill, at));
    const connection = await holdConnection(tx, organizationId, id);
    if (connection === null) return fail('NOT_FOUND', 'connectionId: bill connection not found');
    if (connection.source !== bill.source)
      fail(
        'VALIDATION_ERROR',
        `connectionId: this file is of ${bill.source}, and the connection of ${connection.source}`,
      );
    const stored = await storeBill(tx, { organizationId, connectionId: id, at }, body, bill);
    if (uploadId !== null) await deleteUpload(tx, organizationId, uploadId);
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

async function uploadOf(context: SubgraphContext, organizationId: string, uploadId: string): Promise<Buffer> {
  const body = await context.database.snapshot(organizationId, (tx) => readUpload(tx, organizationId, uploadId));
  return body ?? fail('NOT_FOUND', 'uploadId: upload not found, or a part of it is missing');
}

function connectionOf(tx: WriteTransaction, organizationId: string, bill: ReadBill, at: Date): Promise<string> {
  const { source } = bill;
  return ensureConnection(tx, {
    organizationId,
    id: randomUuid(),
    source,
    name: nameOfSource(bill),
    settleHours: settleHoursOf(source),
    at,
  });
}
