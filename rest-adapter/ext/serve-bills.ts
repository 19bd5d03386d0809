/**
 * `POST /ext/v1/bills`: imports a provider's file of up to 64 MiB, unchanged. The body is passed on in parts as it
 * arrives, so that this process never holds all of it.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { fail } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { answerError } from '../answer-error.ts';
import { authenticate } from '../hooks/authenticate.ts';
import { correlate } from '../hooks/correlate.ts';
import { limitRate } from '../hooks/limit-rate.ts';
import { neverStore } from '../hooks/never-store.ts';
import { requireScope } from '../hooks/require-scope.ts';
import { type RawQuery, single } from '../params/parameter.ts';
import type { SendAnswer } from '../send-answer.ts';

const BYTES_MAX = 64 * 1024 * 1024;
const PART_BYTES = 512 * 1024;

const SAVE_PART = internalGraphql(`mutation SaveBillPart($input: BillPartSaveInput!) {
  billPartSave(input: $input) { userErrors { message code } }
}`);
const IMPORT = internalGraphql(`mutation ImportBill($input: BillImportInput!) {
  billImport(input: $input) {
    bill { connection_id: connectionId source from_day: fromDay to_day: toDay is_new: isNew lines unread_lines: unreadLines }
    userErrors { message code }
  }
}`);

export async function serveBills(
  app: FastifyInstance,
  { gateway, limiter, send }: { gateway: GatewayClient; limiter: RateLimiter; send: SendAnswer },
): Promise<void> {
  await app.register(async (plugin) => {
    plugin.addHook('onRequest', correlate);
    plugin.addHook('onRequest', neverStore);
    plugin.setErrorHandler(answerError);
    plugin.removeAllContentTypeParsers();
    // Any content type: providers' files are CSV, TSV, JSON or JSON lines, plain or gzip.
    plugin.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    plugin.post<{ Querystring: RawQuery }>(
      '/ext/v1/bills',
      { onRequest: [authenticate(gateway), requireScope('bills:write'), limitRate(limiter)], bodyLimit: BYTES_MAX },
      async (request, reply) => {
        try {
          const connectionId = single(request.query, 'connection_id') ?? null;
          const input = { uploadId: await saveParts(request, gateway), connectionId };
          const { billImport } = await askGateway(gateway, IMPORT, { input }, request.principal);
          return await send(request, reply, billImport.bill);
        } catch (error) {
          // Keeps the connection open, so that a client that is still sending can read the error.
          reply.raw.shouldKeepAlive = true;
          (request.body as Readable | undefined)?.resume();
          throw error;
        }
      },
    );
  });
}

/** Returns the id of the upload. Fails with `PAYLOAD_TOO_LARGE`, and `VALIDATION_ERROR` for an empty body. */
async function saveParts(request: FastifyRequest, gateway: GatewayClient): Promise<string> {
  const uploadId = randomUuid();
  if (Number(request.headers['content-length'] ?? 0) > BYTES_MAX) tooLarge();
  let [bytes, part] = [0, 0];
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const flush = async () => {
    const data = Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
    for (let from = 0; from < data.length; from += PART_BYTES)
      await savePart(gateway, request.principal, {
        uploadId,
        part: part++,
        data: data.subarray(from, from + PART_BYTES),
      });
  };
  if (request.body !== undefined)
    for await (const chunk of request.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) tooLarge();
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes >= PART_BYTES) await flush();
    }
  if (bytes === 0) fail('VALIDATION_ERROR', 'The request body is empty: send the file');
  await flush();
  return uploadId;
}

async function savePart(
  gateway: GatewayClient,
  principal: Principal,
  { uploadId, part, data }: { uploadId: string; part: number; data: Buffer },
): Promise<void> {
  await askGateway(gateway, SAVE_PART, { input: { uploadId, part, data: data.toString('base64') } }, principal);
}

function tooLarge(): never {
  return fail('PAYLOAD_TOO_LARGE', 'The request body is larger than 64 MiB');
}
