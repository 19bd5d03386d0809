/**
 * Creates spans once `start-tracing.ts` has set a tracer. Until then a span costs one comparison. Spans contain no
 * statement values, addresses, credentials or customer ids.
 */
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DocumentNode } from 'graphql';

type Api = typeof import('@opentelemetry/api');

interface Tracing {
  readonly api: Api;
  readonly tracer: Tracer;
}

let tracing: Tracing | null = null;

/** `null` ends tracing. */
export function traceWith(set: Tracing | null): void {
  tracing = set;
}

interface SpanOptions {
  readonly kind?: 'internal' | 'client';
  readonly attributes?: Attributes;
  /** Only inside another span, so that background work does not start traces. */
  readonly isChild?: boolean;
}

/** Runs `work` within a span, which ends with it. */
export function inSpan<Result>(name: () => string, work: () => Promise<Result>, options?: SpanOptions): Promise<Result>;
export function inSpan<Result>(
  name: () => string,
  work: () => Result | Promise<Result>,
  options?: SpanOptions,
): Result | Promise<Result>;
export function inSpan<Result>(
  name: () => string,
  work: () => Result | Promise<Result>,
  { kind = 'internal', attributes = {}, isChild = false }: SpanOptions = {},
): Result | Promise<Result> {
  if (tracing === null || (isChild && tracing.api.trace.getActiveSpan() === undefined)) return work();
  const { api, tracer } = tracing;
  const spanKind = kind === 'client' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
  return tracer.startActiveSpan(name(), { kind: spanKind, attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      recordError(api, span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Records only the error's type, since its message may contain user data. */
function recordError({ SpanStatusCode }: Api, span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: string | number; name?: string };
  span.setAttribute('error.type', String(code ?? name ?? 'Error'));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Headers that continue the trace in another process (W3C Trace Context). */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  tracing?.api.propagation.inject(tracing.api.context.active(), headers);
  return headers;
}

/** Span name of a GraphQL document: `query Costs`, or only the operation type if it has no name. */
export function inOperationSpan<Result>(
  { document, operationName }: { readonly document: DocumentNode; readonly operationName?: string | null },
  work: () => Promise<Result>,
): Promise<Result> {
  const name = (): string => {
    for (const definition of document.definitions) {
      if (definition.kind !== 'OperationDefinition') continue;
      if (operationName == null || definition.name?.value === operationName)
        return [definition.operation, ...(definition.name ? [definition.name.value] : [])].join(' ');
    }
    return 'graphql';
  };
  return inSpan(name, work);
}

/** A database statement, as a child of the current span. */
export function inStatementSpan<Result>(text: unknown, database: string, run: () => Promise<Result>): Promise<Result> {
  if (tracing === null) return run();
  return inSpan(() => outlineOf(text), run, {
    kind: 'client',
    isChild: true,
    attributes: { 'db.system.name': 'postgresql', 'db.namespace': database },
  });
}

const OUTLINE_CHARACTERS = 2_000;

/** The statement's verb and first table. */
function outlineOf(text: unknown): string {
  const written = typeof text === 'string' ? text : ((text as { text?: string } | null)?.text ?? '');
  const bare = written.slice(0, OUTLINE_CHARACTERS).replace(/'[^']*'?/g, '');
  const [verb = 'statement'] = /[a-z]+/i.exec(bare) ?? [];
  const [, table] = /\b(?:from|into|update|join)\s+(?:only\s+)?"?([a-z_]+)/i.exec(bare) ?? [];
  return [verb.toLowerCase(), ...(table === undefined ? [] : [table])].join(' ');
}

/** Paths of probes and scrapes. */
const UNTRACED: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics'];

/** Creates a span per request, in the trace of its `traceparent`. Call it before any other hook. */
export function traceRequests(app: FastifyInstance): void {
  if (tracing === null) return;
  const { api, tracer } = tracing;
  const under = new WeakMap<FastifyRequest, { readonly span: Span; readonly context: Context }>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { url: route } = request.routeOptions;
    if (UNTRACED.includes(route)) return done();
    const parent = api.propagation.extract(api.ROOT_CONTEXT, request.headers);
    const attributes = {
      'http.request.method': request.method,
      ...(route === undefined ? {} : { 'http.route': route }),
    };
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    const span = tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes }, parent);
    const context = api.trace.setSpan(parent, span);
    under.set(request, { span, context });
    api.context.with(context, done);
  });
  // Body readers run in the socket's context.
  app.addHook('preValidation', (request, _reply, done) => {
    const known = under.get(request);
    if (known) api.context.with(known.context, done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = under.get(request)?.span;
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: api.SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
