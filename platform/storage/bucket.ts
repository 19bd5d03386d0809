/** Writes objects to S3-compatible storage, with requests signed by AWS Signature Version 4. */
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { now } from '../clock.ts';

export interface StorageAddress {
  /** Base URL of the storage; null for Amazon S3. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Prepended to every key; empty, or without a slash at either end. */
  readonly prefix: string;
}

export interface StorageCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Null for credentials that do not expire. */
  readonly sessionToken: string | null;
}

export interface StorageRequest {
  readonly url: string;
  readonly method: 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

interface StorageAnswer {
  readonly status: number;
  readonly text: string;
}

interface StoredObject {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hexadecimal. The storage refuses a body that differs. */
  readonly sha256: string;
  readonly body: () => string | Readable;
}

export interface Bucket {
  /** The key of an object below the prefix. */
  keyOf(name: string): string;
  /** Replaces an object. Fails with {@link StorageRefusal}, or with the error of `send`. */
  put(object: StoredObject): Promise<void>;
}

/** The storage responded with an error. The message has its status, code and message, for the person who configured it. */
export class StorageRefusal extends Error {
  /** False if the same request would be refused again. */
  readonly mayRetry: boolean;

  constructor(message: string, mayRetry: boolean) {
    super(message);
    this.name = 'StorageRefusal';
    this.mayRetry = mayRetry;
  }
}

const MESSAGE_LENGTH_MAX = 300;

/** `send` makes one request and returns any response. */
export function openBucket(
  { endpoint, region, bucket, prefix }: StorageAddress,
  { accessKeyId, secretAccessKey, sessionToken }: StorageCredentials,
  send: (request: StorageRequest) => Promise<StorageAnswer>,
): Bucket {
  const root = `${(endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/$/, '')}/${bucket}`;
  return {
    keyOf: (name) => (prefix === '' ? name : `${prefix}/${name}`),
    async put({ key, contentType, bytes, sha256, body }) {
      const signer = new AwsV4Signer({
        url: `${root}/${key.split('/').map(encodeURIComponent).join('/')}`,
        method: 'PUT',
        headers: { 'content-type': contentType, 'x-amz-content-sha256': sha256 },
        accessKeyId,
        secretAccessKey,
        ...(sessionToken !== null && { sessionToken }),
        service: 's3',
        region,
        datetime: now()
          .toISOString()
          .replaceAll(/[:-]|\.\d{3}/g, ''),
      });
      const { url, headers } = await signer.sign();
      const { status, text } = await send({
        url: url.href,
        method: 'PUT',
        headers: { ...Object.fromEntries(headers), 'content-length': String(bytes) },
        body: body(),
      });
      if (status !== 200)
        throw new StorageRefusal(`${status} ${reasonOf(text)}`.trim(), status >= 500 || status === 429);
    },
  };
}

/** Code and message of an error document. */
function reasonOf(xml: string): string {
  const [code, message] = ['Code', 'Message'].map((name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]);
  return [code, message]
    .filter(Boolean)
    .join(': ')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MESSAGE_LENGTH_MAX);
}
