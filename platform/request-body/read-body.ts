/**
 * Reads the bytes of a request body, with limits for its sent and its decompressed size. The headers are checked
 * first.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { fail, KnownError } from '#kernel/errors.ts';
import { joinInSlices } from '../slices.ts';

export interface BodyRules {
  /** Maximum size as sent. */
  readonly bytesMax: number;
  /** Maximum decompressed size. If missing, gzip is refused like every other content coding. */
  readonly unpackedBytesMax?: number;
  /** Added to the message of a body that is too large. */
  readonly tooLargeBecause?: string;
}

/**
 * After an error, up to this much of the rest of the body is read and ignored, so that the client receives the
 * response.
 */
const IGNORED_BYTES_MAX = 64 * 1024 * 1024;

const GZIP_MAGIC = 0x1f8b;
const GZIP_BYTES_MIN = 18;

/** The smallest chunk that Node accepts. */
const CHUNK_BYTES_MIN = 64;

const unpack = promisify(gunzip);

/**
 * Returns the body as sent. Fails with `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE` or, if the body ends too early,
 * `VALIDATION_ERROR`.
 */
export function readBody(headers: IncomingHttpHeaders, payload: Readable, rules: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let refusal = refusalOf(headers, rules);
    if (refusal) reject(refusal);
    payload.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > rules.bytesMax && !refusal) reject((refusal = tooLarge(rules.bytesMax, rules)));
      if (!refusal) return void chunks.push(chunk);
      chunks.length = 0;
      if (bytes > IGNORED_BYTES_MAX) payload.destroy();
    });
    payload.once('end', () => resolve(joinInSlices(chunks)));
    payload.once('error', () => reject(new KnownError('VALIDATION_ERROR', 'The request body ended too early')));
  });
}

/** Size of a body once it is unpacked, as gzip states it in its last four bytes; 0 if it is not gzip. `unpackBody` returns no more. */
export function unpackedBytes(body: Buffer, headers: IncomingHttpHeaders): number {
  if (codingOf(headers) === 'identity') return body.length;
  return body.length < GZIP_BYTES_MIN || body.readUInt16BE() !== GZIP_MAGIC ? 0 : body.readUInt32LE(body.length - 4);
}

/**
 * Returns the decompressed body. Fails with `PAYLOAD_TOO_LARGE`, and with `VALIDATION_ERROR` if it is not gzip or is
 * larger than it states.
 */
export async function unpackBody(body: Buffer, headers: IncomingHttpHeaders, rules: BodyRules): Promise<Buffer> {
  const { unpackedBytesMax = rules.bytesMax } = rules;
  if (codingOf(headers) === 'identity') return body;
  const size = unpackedBytes(body, headers);
  if (size > unpackedBytesMax) throw tooLarge(unpackedBytesMax, rules);
  try {
    // Unpack into a single chunk, because joining many would copy the body and block the event loop. One more byte
    // detects the end.
    const chunkSize = Math.max(size + 1, CHUNK_BYTES_MIN);
    return await unpack(body, { maxOutputLength: Math.max(size, 1), chunkSize });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE')
      return fail('VALIDATION_ERROR', 'The request body is not valid gzip');
    return fail(
      'VALIDATION_ERROR',
      'The gzip body is larger than it states at its end: send it as a single gzip member',
    );
  }
}

function refusalOf(headers: IncomingHttpHeaders, rules: BodyRules): KnownError | null {
  const coding = codingOf(headers);
  if (coding !== 'identity' && (coding !== 'gzip' || rules.unpackedBytesMax === undefined)) {
    const message = `Content-Encoding ${coding} is not supported: send the body ${rules.unpackedBytesMax === undefined ? 'uncompressed' : 'as gzip or uncompressed'}`;
    return new KnownError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    return new KnownError('UNSUPPORTED_MEDIA_TYPE', `The charset ${charset} is not supported: send the body as UTF-8`);
  return Number(headers['content-length'] ?? 0) > rules.bytesMax ? tooLarge(rules.bytesMax, rules) : null;
}

function codingOf(headers: IncomingHttpHeaders): string {
  return headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
}

function tooLarge(bytesMax: number, { tooLargeBecause = '' }: BodyRules): KnownError {
  const size =
    bytesMax < 1024 * 1024 ? `${bytesMax / 1024} KiB` : `${Number((bytesMax / (1024 * 1024)).toFixed(1))} MiB`;
  return new KnownError('PAYLOAD_TOO_LARGE', `The request body is larger than ${size}${tooLargeBecause}`);
}
