/** Writes a test object to a destination. */
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import { writeTestObject } from '#platform/storage/write-export.ts';
import { fail } from '#kernel/errors.ts';
import type { Destination } from './check-schedule.ts';
import { describeExportError, openDestination } from './open-destination.step.ts';

/** Returns its key. Fails with `VALIDATION_ERROR`. */
export function tryDestination(outbound: Outbound, destination: Destination, secret: string): Promise<string> {
  return writeTestObject(openDestination(outbound, destination, secret)).catch((error: unknown) =>
    fail('VALIDATION_ERROR', `No test object could be written: ${describeExportError(error)}`),
  );
}
