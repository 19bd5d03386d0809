/** A span or a log record as the edge passes it on. */
import type { Attributes, TelemetryRecord } from '#usage/telemetry/telemetry-record.ts';

export function aSpan(
  attributes: Attributes,
  { scope, ...more }: Partial<Omit<TelemetryRecord, 'scope'>> & { readonly scope?: string } = {},
): TelemetryRecord {
  return {
    resource: {},
    scope: { name: scope ?? 'acme', version: '', schemaUrl: '' },
    traceId: 'a'.repeat(32),
    spanId: '1'.repeat(16),
    parentSpanId: '',
    name: 'chat',
    startMs: 1_795_694_400_000,
    endMs: 1_795_694_401_000,
    status: 0,
    attributes,
    ...more,
  };
}
