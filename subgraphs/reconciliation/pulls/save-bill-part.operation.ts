/** Stores one part of a bill that is being uploaded. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { BILL_BYTES_MAX, PART_BYTES_MAX } from '../config.ts';
import type { BillPartSaveInput } from '../resolvers.generated.ts';
import { savePart, uploadedBytes } from './bill-upload.table.ts';

/** Parts are numbered from 0 and may be sent again. Fails with `PAYLOAD_TOO_LARGE` beyond the size of a bill. */
export async function saveBillPart(
  context: SubgraphContext,
  { uploadId, part, data }: BillPartSaveInput,
): Promise<true> {
  const organizationId = organizationOf(context);
  if (!isUuid(uploadId)) fail('VALIDATION_ERROR', 'uploadId must be a UUID');
  const bytes = Buffer.from(data, 'base64');
  if (part < 0 || part > BILL_BYTES_MAX / PART_BYTES_MAX)
    fail('PAYLOAD_TOO_LARGE', 'part: a bill can have at most 64 MiB');
  if (bytes.length === 0 || bytes.length > PART_BYTES_MAX)
    fail('VALIDATION_ERROR', `data must be base64 of 1 to ${PART_BYTES_MAX} bytes`);
  await context.database.write(organizationId, async (tx) => {
    if ((await uploadedBytes(tx, organizationId)) + bytes.length > 2 * BILL_BYTES_MAX)
      fail(
        'RATE_LIMIT_EXCEEDED',
        'This organization is uploading too much at once: wait until earlier uploads are finished',
      );
    await savePart(tx, { organizationId, uploadId, part, createdAt: now(), data: bytes });
  });
  return true;
}
