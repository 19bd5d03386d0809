/** Writes objects to S3-compatible storage, with requests signed by AWS Signature Version 4. */
import { createReadStream } from 'node:fs';
import { AwsV4Signer } from 'aws4fetch';
import { request } from 'undici';
import { now } from '#platform/clock.ts';
import { UsageError } from '../../kit/usage-error.ts';
import type { StorageAccess } from '../environment.ts';

interface StoredObject {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hexadecimal. The storage refuses a body that differs. */
  readonly sha256: string;
  readonly body: { readonly path: string } | { readonly text: string };
}

export interface Bucket {
  /** The key of an object below the prefix. */
  keyOf(name: string): string;
  /** Replaces an object. Fails with a message for the user. */
  put(object: StoredObject): Promise<void>;
}

interface Failure {
  readonly reason: string;
  readonly mayRetry: boolean;
}

const ATTEMPTS_MAX = 4;
const IDLE_MILLISECONDS_MAX = 120_000;
const MESSAGE_LENGTH_MAX = 300;

/** `destination`: `s3://BUCKET/PREFIX`. Fails with a usage error. */
export function openBucket(
  destination: string,
  access: StorageAccess,
  wait: (seconds: number) => Promise<void>,
): Bucket {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(destination) ?? [];
  if (bucket === undefined) throw new UsageError('The destination must be s3://BUCKET or s3://BUCKET/PREFIX');
  const { accessKeyId, secretAccessKey, sessionToken, region } = access;
  if (accessKeyId === null || secretAccessKey === null)
    throw new UsageError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const prefix = path.split('/').filter((part) => part !== '');
  const root = access.endpoint ?? `https://s3.${region}.amazonaws.com`;
  const urlOf = (key: string) =>
    `${root.replace(/\/$/, '')}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;

  async function attempt({ key, contentType, bytes, sha256, body }: StoredObject): Promise<Failure | null> {
    const signer = new AwsV4Signer({
      url: urlOf(key),
      method: 'PUT',
      headers: { 'content-type': contentType, 'x-amz-content-sha256': sha256 },
      accessKeyId: accessKeyId!,
      secretAccessKey: secretAccessKey!,
      ...(sessionToken !== null && { sessionToken }),
      service: 's3',
      region,
      datetime: now()
        .toISOString()
        .replaceAll(/[:-]|\.\d{3}/g, ''),
    });
    const { url, headers } = await signer.sign();
    const response = await request(url, {
      method: 'PUT',
      headers: { ...Object.fromEntries(headers), 'content-length': String(bytes) },
      body: 'path' in body ? createReadStream(body.path) : body.text,
      headersTimeout: IDLE_MILLISECONDS_MAX,
      bodyTimeout: IDLE_MILLISECONDS_MAX,
    });
    const text = await response.body.text();
    const { statusCode } = response;
    if (statusCode === 200) return null;
    return { reason: `${statusCode} ${reasonOf(text)}`, mayRetry: statusCode >= 500 || statusCode === 429 };
  }

  return {
    keyOf: (name) => [...prefix, name].join('/'),
    async put(object) {
      for (let tried = 1; ; tried++) {
        const failure = await attempt(object).catch(({ message }: Error) => ({ reason: message, mayRetry: true }));
        if (failure === null) return;
        if (!failure.mayRetry || tried === ATTEMPTS_MAX) throw new Error(`${urlOf(object.key)}: ${failure.reason}`);
        await wait(2 ** tried);
      }
    },
  };
}

/** Code and message of an error document. */
function reasonOf(xml: string): string {
  const [code, message] = ['Code', 'Message'].map((name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]);
  return [code, message].filter(Boolean).join(': ').slice(0, MESSAGE_LENGTH_MAX);
}
