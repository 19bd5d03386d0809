/** OpenTelemetry requests as sent by an exporter or a gateway. */
import { gzipSync } from 'node:zlib';
import { graphql } from './api-client.ts';
import type { RunningService } from './running-service.ts';

export interface SpanForm {
  readonly name?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly scope?: string;
  readonly version?: string;
  readonly schemaUrl?: string;
  readonly resource?: Readonly<Record<string, unknown>>;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly atMs?: number;
  /** 1: OK, 2: error. */
  readonly status?: 1 | 2;
}

let made = 0;

export function newTraceId(): string {
  return (++made).toString(16).padStart(8, '0') + 'a'.repeat(24);
}

export function newSpanId(): string {
  return (++made).toString(16).padStart(16, '0');
}

/** A body of `/otlp/v1/traces` in JSON. */
export function traces(...spans: readonly SpanForm[]): object {
  return { resourceSpans: spans.map((span) => group(span, 'scopeSpans', 'spans', spanOf(span))) };
}

/** A body of `/otlp/v1/logs`; the name is the event's. */
export function logs(...records: readonly SpanForm[]): object {
  return {
    resourceLogs: records.map((record) =>
      group(record, 'scopeLogs', 'logRecords', {
        timeUnixNano: `${record.atMs ?? Date.now()}000000`,
        body: { stringValue: record.name ?? '' },
        attributes: attributesOf(record.attributes),
      }),
    ),
  };
}

function group(
  { scope = 'test', version = '', schemaUrl, resource }: SpanForm,
  scopes: string,
  list: string,
  record: object,
) {
  return {
    resource: { attributes: attributesOf(resource) },
    [scopes]: [{ scope: { name: scope, version }, ...(schemaUrl ? { schemaUrl } : {}), [list]: [record] }],
  };
}

function spanOf({
  name = 'chat',
  traceId,
  spanId,
  parentSpanId,
  attributes,
  atMs = Date.now() - 60_000,
  status,
}: SpanForm) {
  return {
    traceId: traceId ?? newTraceId(),
    spanId: spanId ?? newSpanId(),
    ...(parentSpanId ? { parentSpanId } : {}),
    name,
    kind: 3,
    startTimeUnixNano: `${atMs}000000`,
    endTimeUnixNano: `${atMs + 1000}000000`,
    attributes: attributesOf(attributes),
    status: status === undefined ? {} : { code: status },
  };
}

function attributesOf(attributes: Readonly<Record<string, unknown>> = {}) {
  const set = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return set.map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
  }));
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
  readonly bytes: Buffer;
}

/** Sends a body unchanged, or as JSON; `gzip` compresses it. */
export async function sendTo(
  url: string,
  path: string,
  key: string,
  body: unknown,
  { headers = {}, gzip = false }: { headers?: Record<string, string>; gzip?: boolean } = {},
): Promise<DoorAnswer> {
  const plain = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      ...headers,
    },
    body: new Uint8Array(gzip ? gzipSync(plain) : plain),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(bytes.toString()) : null,
    bytes,
  };
}

/** Queries the graph as the operator of the default organization. */
export async function operate(
  { url, firstRun }: RunningService,
  document: string,
  variables: object = {},
): Promise<any> {
  const { body } = await graphql(url, firstRun.operator_token, document, variables, firstRun.organization_id);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

/** A key that may write unsigned. */
export async function unsignedKey(service: RunningService, environment: 'live' | 'test' = 'live'): Promise<string> {
  const { apiKeyCreate } = await operate(
    service,
    `mutation ($environment: String!) {
      apiKeyCreate(input: { name: "Telemetry", environment: $environment, scopes: ["usage:write"] }) { createdApiKey { secret apiKey { id } } userErrors { message } }
    }`,
    { environment },
  );
  await operate(
    service,
    'mutation ($id: ID!) { apiKeySetUnsignedWrites(input: { id: $id, allowed: true }) { apiKey { id } userErrors { message } } }',
    {
      id: apiKeyCreate.createdApiKey.apiKey.id,
    },
  );
  return apiKeyCreate.createdApiKey.secret;
}
