/** S3-compatible storage: path-style PUT and GET, with signatures computed as AWS documents them for version 4. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SignedRequest {
  readonly method: string;
  /** As sent. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** The value that `Authorization` must have, given the credential and the headers that it names. */
export function authorizationOf({ method, path, headers }: SignedRequest, secret: string): string {
  const { credential = '', signed = '' } =
    /^AWS4-HMAC-SHA256 Credential=(?<credential>[^,]+), ?SignedHeaders=(?<signed>[^,]+)/.exec(
      headers['authorization'] ?? '',
    )?.groups ?? {};
  const [accessKeyId, date, region, service, end] = credential.split('/');
  const [name = '', query = ''] = path.split('?');
  const canonical = [
    method,
    name.split('/').map(encoded).join('/'),
    query,
    ...signed.split(';').map((header) => `${header}:${(headers[header] ?? '').trim().replaceAll(/\s+/g, ' ')}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    [date, region, service, end].join('/'),
    sha256(canonical),
  ].join('\n');
  const key = [date, region, service, end].reduce<string | Buffer>(
    (part, text) => hmac(part, text ?? ''),
    `AWS4${secret}`,
  );
  const signature = hmac(key, toSign).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${[accessKeyId, date, region, service, end].join('/')}, SignedHeaders=${signed}, Signature=${signature}`;
}

/** Everything but unreserved characters is encoded. */
function encoded(part: string): string {
  return encodeURIComponent(decodeURIComponent(part)).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export interface S3StandIn {
  readonly url: string;
  /** Content by bucket and key. */
  readonly objects: Map<string, Buffer>;
  /** Runs before an object is stored. A returned error code refuses it. */
  beforePut: (key: string) => string | undefined | Promise<string | undefined>;
  close(): Promise<void>;
}

export async function startS3(accessKeyId: string, secret: string): Promise<S3StandIn> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    void readBody(request).then(
      async (body) => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        const path = request.url ?? '';
        const key = decodeURIComponent(path.slice(1));
        const expected = authorizationOf({ method: request.method ?? '', path, headers }, secret);
        const isKnown = headers['authorization']?.includes(`Credential=${accessKeyId}/`) ?? false;
        const refusal = !isKnown
          ? 'InvalidAccessKeyId'
          : headers['authorization'] !== expected
            ? 'SignatureDoesNotMatch'
            : headers['content-length'] === undefined
              ? 'MissingContentLength'
              : sha256(body) !== headers['x-amz-content-sha256']
                ? 'XAmzContentSHA256Mismatch'
                : await storage.beforePut(key);
        if (refusal === undefined) objects.set(key, body);
        response.statusCode = refusal === undefined ? 200 : 403;
        response.end(
          refusal && `<?xml version="1.0"?><Error><Code>${refusal}</Code><Message>Refused</Message></Error>`,
        );
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const storage: S3StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    beforePut: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return storage;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
