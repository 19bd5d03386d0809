/** Sends an export as a file. Exports per organization are limited, and stalled clients are disconnected. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { recordRefusal } from '#platform/metrics.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';
import { fileNameOf, printReport, type ReportRequest } from './export-report.ts';

const EXPORTS_MAX = 2;
const IDLE_MILLISECONDS_MAX = 120_000;
const RETRY_SECONDS = 30;

export type SendReport = (reply: FastifyReply, principal: Principal, request: ReportRequest) => Promise<FastifyReply>;

/**
 * The first part is read before anything is sent, so that an early failure becomes an error response. A later failure
 * closes the connection, so that no client mistakes a partial file for a complete one.
 */
export function reportSender(gateway: GatewayClient): SendReport {
  const running = new Map<string, number>();
  return async (reply, principal, request) => {
    const organizationId = principal.organizationId ?? '';
    const before = running.get(organizationId) ?? 0;
    if (before >= EXPORTS_MAX) {
      recordRefusal('exports_running');
      fail('RATE_LIMIT_EXCEEDED', `This organization is already running ${EXPORTS_MAX} exports`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    running.set(organizationId, before + 1);
    reply.raw.once('close', () => {
      const left = (running.get(organizationId) ?? 1) - 1;
      if (left > 0) running.set(organizationId, left);
      else running.delete(organizationId);
    });
    const parts = printReport(gateway, principal, request);
    const first = await parts.next();
    reply.raw.setTimeout(IDLE_MILLISECONDS_MAX, () => reply.raw.destroy());
    return reply
      .type(request.format.contentType)
      .header('Content-Disposition', `attachment; filename="${fileNameOf(request)}"`)
      .send(Readable.from(first.done ? [] : startingWith(first.value, parts), { objectMode: false, highWaterMark: 1 }));
  };
}

async function* startingWith<Part>(first: Part, rest: AsyncGenerator<Part>): AsyncGenerator<Part> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
