/** `GET /ext/v1/exports/{table}`: exports report tables as files. */
import { fail } from '#kernel/errors.ts';
import type { FastifyInstance } from 'fastify';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { findReport, parseReportRequest, REPORT_PARAMETERS } from '../../reports/export-report.ts';
import { reportSender } from '../../reports/send-report.ts';
import { answerError } from '../answer-error.ts';
import { authenticate } from '../hooks/authenticate.ts';
import { correlate } from '../hooks/correlate.ts';
import { limitRate } from '../hooks/limit-rate.ts';
import { neverStore } from '../hooks/never-store.ts';
import { requireScope } from '../hooks/require-scope.ts';
import { type RawQuery, single } from '../params/parameter.ts';

export async function serveExports(
  app: FastifyInstance,
  gateway: GatewayClient,
  readLimiter: RateLimiter,
): Promise<void> {
  const send = reportSender(gateway);
  await app.register(
    async (plugin) => {
      plugin.addHook('onRequest', correlate);
      plugin.addHook('onRequest', neverStore);
      plugin.setErrorHandler(answerError);
      plugin.get<{ Querystring: RawQuery; Params: { table: string } }>(
        '/:table',
        { exposeHeadRoute: false, onRequest: [authenticate(gateway), requireReportScope, limitRate(readLimiter)] },
        async ({ principal, query, params }, reply) => {
          for (const name of Object.keys(query)) requireKnown(name);
          const sent = Object.fromEntries(REPORT_PARAMETERS.map((name) => [name, single(query, name)]));
          const request = parseReportRequest(findReport(params.table), sent, now());
          return send(reply, principal, request);
        },
      );
    },
    { prefix: '/ext/v1/exports' },
  );
}

/** Fails with `NOT_FOUND` for an unknown table. */
const requireReportScope: ReturnType<typeof requireScope> = (request, reply, done) => {
  const { table } = request.params as { readonly table: string };
  requireScope(findReport(table).scope)(request, reply, done);
};

/** A misspelt parameter would silently give a file of another period. */
function requireKnown(name: string): void {
  if (!(REPORT_PARAMETERS as readonly string[]).includes(name))
    fail('VALIDATION_ERROR', `There is no parameter ${name}: use ${REPORT_PARAMETERS.join(', ')}`);
}
