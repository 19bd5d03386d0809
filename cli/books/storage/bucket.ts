/** Opens the bucket that a command names, with credentials from the environment. Failed requests are repeated. */
import { request } from 'undici';
import { type Bucket, openBucket, StorageRefusal, type StorageRequest } from '#platform/storage/bucket.ts';
import { UsageError } from '../../kit/usage-error.ts';
import type { StorageAccess } from '../environment.ts';

const ATTEMPTS_MAX = 4;
const IDLE_MILLISECONDS_MAX = 120_000;

/** `destination`: `s3://BUCKET/PREFIX`. Fails with a usage error. */
export function openNamedBucket(
  destination: string,
  { endpoint, region, accessKeyId, secretAccessKey, sessionToken }: StorageAccess,
  wait: (seconds: number) => Promise<void>,
): Bucket {
  const [, name, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(destination) ?? [];
  if (name === undefined) throw new UsageError('The destination must be s3://BUCKET or s3://BUCKET/PREFIX');
  if (accessKeyId === null || secretAccessKey === null)
    throw new UsageError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const prefix = path
    .split('/')
    .filter((part) => part !== '')
    .join('/');
  const address = { endpoint, region, bucket: name, prefix };
  const bucket = openBucket(address, { accessKeyId, secretAccessKey, sessionToken }, send);
  return {
    ...bucket,
    async put(object) {
      for (let tried = 1; ; tried++)
        try {
          return await bucket.put(object);
        } catch (error) {
          const mayRetry = !(error instanceof StorageRefusal) || error.mayRetry;
          if (!mayRetry || tried === ATTEMPTS_MAX)
            throw new Error(`s3://${name}/${object.key}: ${(error as Error).message}`, { cause: error });
          await wait(2 ** tried);
        }
    },
  };
}

async function send({ url, ...sent }: StorageRequest): Promise<{ status: number; text: string }> {
  const answer = await request(url, {
    ...sent,
    headersTimeout: IDLE_MILLISECONDS_MAX,
    bodyTimeout: IDLE_MILLISECONDS_MAX,
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}
