/**
 * `POST /otlp/v1/traces` and `/otlp/v1/logs`: usage from any OpenTelemetry sender, outside the signed contract
 * (decision 41).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { fail, KnownError } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { bodyOf, type EventLimits, openEventEndpoint } from '../hooks/event-endpoint.ts';
import { correlate } from '../hooks/correlate.ts';
import type { BodyHooks } from '../hooks/limit-bodies.ts';
import { readCachedTokens } from '../hooks/read-cached-tokens.ts';
import { neverStore } from '../hooks/never-store.ts';
import { sendAllOutcomes } from '../ext/send-outcomes.ts';
import { answerExport, answerStatus, isProtobuf } from './answer-telemetry.ts';
import { decodeJson, type Signal } from './decode-json.ts';

const DOCUMENT = internalGraphql(
  `mutation IngestTelemetry($signal: TelemetrySignal!, $groups: JSON!, $cachedTokens: CachedTokens, $newEventsMax: Int!) {
    ingestTelemetry(signal: $signal, groups: $groups, cachedTokens: $cachedTokens, newEventsMax: $newEventsMax) { billed duplicates rejected message outcomes }
  }`,
);

export async function serveTelemetry(
  app: FastifyInstance,
  gateway: GatewayClient,
  limits: EventLimits,
  bodies: BodyHooks,
): Promise<void> {
  await app.register(
    async (plugin) => {
      plugin.addHook('onRequest', correlate);
      plugin.addHook('onRequest', neverStore);
      plugin.setErrorHandler(answerStatus);
      plugin.setNotFoundHandler((request, reply) =>
        answerStatus(new KnownError('NOT_FOUND', 'Only /otlp/v1/traces and /otlp/v1/logs exist'), request, reply),
      );
      const endpoint = openEventEndpoint(plugin, {
        gateway,
        limits,
        bodies,
        contentTypes: ['application/json', 'application/x-protobuf'],
      });
      const take = (signal: Signal) => async (request: FastifyRequest, reply: FastifyReply) => {
        const body = bodyOf(request);
        // Settings pages of senders test the connection with an empty body.
        if (body.length === 0 && request.headers['x-test-connection'] === 'true')
          return answerExport(request, reply, signal, null);
        if (request.headers['content-type'] === undefined)
          fail('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/x-protobuf or application/json');
        const cachedTokens = readCachedTokens(request);
        // The library is loaded with the first body in this format.
        const decode = isProtobuf(request) ? (await import('./decode-protobuf.ts')).decodeProtobuf : decodeJson;
        const { result, recorded, refusals } = await endpoint.counted(
          request,
          reply,
          async ({ reserve, newEventsMax, stored }) => {
            const { groups, refusals } = await decode(signal, body, reserve);
            const variables = {
              signal: signal === 'traces' ? ('TRACES' as const) : ('LOGS' as const),
              groups,
              cachedTokens,
              // Refused records count as new events.
              newEventsMax: newEventsMax() - refusals.length,
            };
            const { ingestTelemetry: result } = await askGateway(gateway, DOCUMENT, variables, request.principal);
            const events = result.billed + result.rejected + refusals.length;
            stored(events);
            // A span that reports both a call and a task counts twice.
            const missing = result.outcomes.length - (newEventsMax() - events);
            if (missing > 0) await reserve(missing);
            const left = newEventsMax() - events;
            const recorded = await sendAllOutcomes(gateway, request.principal, result.outcomes, left);
            return { result, recorded, refusals, events: events + recorded.fresh };
          },
        );
        const rejected = result.rejected + recorded.rejected + refusals.length;
        const message = result.message ?? recorded.message ?? refusals[0]?.reason ?? '';
        return answerExport(request, reply, signal, rejected > 0 ? { rejected, message } : null);
      };
      plugin.post('/traces', endpoint.options, take('traces'));
      plugin.post('/logs', endpoint.options, take('logs'));
    },
    { prefix: '/otlp/v1' },
  );
}
