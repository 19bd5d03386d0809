/** A request's body, never more of it than its sender may send, whatever its headers say of its length. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { fail } from '../schema/errors.ts';

/** Fails with `PAYLOAD_TOO_LARGE` as soon as the body is longer, without reading the rest. */
export async function readBody(headers: IncomingHttpHeaders, payload: Readable, bytesMax: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > bytesMax) tooLarge(bytesMax);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The stream stays whole: its socket carries the answer.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) tooLarge(bytesMax);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks, bytes);
}

/** Fails with `UNSUPPORTED_MEDIA_TYPE` for what is not plain JSON by its headers: nothing is unpacked here. */
export function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') fail('UNSUPPORTED_MEDIA_TYPE', 'The request body must be sent as application/json');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    fail('UNSUPPORTED_MEDIA_TYPE', 'The request body must be sent without a Content-Encoding');
  }
}

function tooLarge(bytesMax: number): never {
  fail('PAYLOAD_TOO_LARGE', `The request body is larger than ${bytesMax / 1024} KiB, the most that this caller may send`);
}
