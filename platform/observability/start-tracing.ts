/** Loads OpenTelemetry and exports spans with OTLP over HTTP according to `OTEL_*`. Imported only if enabled. */
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, resourceAttributesEnvDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';
import type { OperationsConfig, TraceSettings } from './operations-settings.ts';
import { traceWith } from './tracing.ts';

const FLUSH_MILLISECONDS_MAX = 3_000;

/** `name` is the service name if `OTEL_SERVICE_NAME` is not set. The exporter itself reads `OTEL_EXPORTER_OTLP_*`. */
export function startTracing(
  { traces }: Pick<OperationsConfig, 'traces'>,
  name: string,
  log: Log,
): { stop(): Promise<void> } {
  const report = (level: 'warn' | 'debug') => (message: string) => log[level]({ source: 'opentelemetry' }, message);
  api.diag.setLogger(
    { error: report('warn'), warn: report('warn'), info: report('debug'), debug: report('debug'), verbose: () => {} },
    api.DiagLogLevel.WARN,
  );
  const provider = new TracerProvider({
    resource: detectResources({ detectors: [resourceAttributesEnvDetector] }).merge(
      resourceFromAttributes({ 'service.name': traces.serviceName ?? name }),
    ),
    sampler: samplerOf(traces),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: traces.exportMilliseconds,
      }),
    ],
  });
  const manager = new AsyncLocalStorageContextManager().enable();
  api.context.setGlobalContextManager(manager);
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  // Apollo's gateway creates its own spans with the global tracer.
  api.trace.setGlobalTracerProvider(provider);
  traceWith({ api, tracer: provider.getTracer('books') });
  return {
    async stop() {
      traceWith(null);
      const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MILLISECONDS_MAX).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      for (const each of [api.trace, api.context, api.propagation, api.diag]) each.disable();
    },
  };
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return sampler.startsWith('parentbased') ? new ParentBasedSampler({ root }) : root;
}
