/** Opens the bucket of a schedule, through the HTTP client for addresses that users specify. */
import { type Bucket, openBucket, StorageRefusal } from '#platform/storage/bucket.ts';
import { describeOutboundError } from '#platform/outbound/describe-outbound-error.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import { ExportTooLarge } from '#platform/storage/write-export.ts';
import { KnownError } from '#kernel/errors.ts';
import { UPLOAD_MILLISECONDS_MAX } from '../config.ts';
import type { Destination } from './check-schedule.ts';

const ANSWER_BYTES_MAX = 16_384;

export function openDestination(outbound: Outbound, destination: Destination, secretAccessKey: string): Bucket {
  const { accessKeyId } = destination;
  return openBucket(destination, { accessKeyId, secretAccessKey, sessionToken: null }, (request) =>
    outbound.request({
      ...request,
      answerBytesMax: ANSWER_BYTES_MAX,
      timeoutMilliseconds: UPLOAD_MILLISECONDS_MAX,
    }),
  );
}

/** The reason why an export or a test failed, in plain language. */
export function describeExportError(error: unknown): string {
  if (error instanceof StorageRefusal) return `the storage refused it: ${error.message}`;
  if (error instanceof ExportTooLarge) return error.message;
  if (error instanceof KnownError)
    return error.code === 'INTERNAL_SERVER_ERROR'
      ? 'the figures could not be read'
      : `the figures could not be read: ${error.message}`;
  return `the storage could not be reached: ${describeOutboundError(error)}`;
}
