/** Writes a test object with a stored schedule's address and credentials. */
import { earlier } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import type { Sealing } from '#platform/seal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { EXPORT_SEAL, EXPORT_TEST_SECONDS } from '../config.ts';
import { markTested } from './export-schedule.table.ts';
import { requireSchedule } from './require-schedule.step.ts';
import { tryDestination } from './try-destination.step.ts';

/** Returns the key of the object. Fails with `VALIDATION_ERROR` if it cannot be written, and with `NOT_FOUND`. */
export async function testExportSchedule(
  context: SubgraphContext,
  id: string,
  { outbound, sealing }: { readonly outbound: Outbound; readonly sealing: Sealing },
): Promise<string> {
  const organizationId = organizationOf(context);
  const { schedule, mayTest } = await context.database.write(organizationId, async (tx) => {
    const at = now();
    const found = await requireSchedule(tx, organizationId, id);
    const before = earlier(at, EXPORT_TEST_SECONDS);
    return { schedule: found, mayTest: await markTested(tx, { organizationId, id, at, before }) };
  });
  if (!mayTest)
    fail('RATE_LIMIT_EXCEEDED', 'This export was tested just now', { retryAfterSeconds: EXPORT_TEST_SECONDS });
  const secret = schedule.sealedSecret === null ? null : sealing.tryUnseal(schedule.sealedSecret, EXPORT_SEAL, id);
  if (secret === null) return fail('VALIDATION_ERROR', 'id: the secret access key was lost, so enter it again');
  return tryDestination(outbound, schedule, secret);
}
