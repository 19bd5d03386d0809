/** Counts the documents and statements of a request by its spans. */
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { traceWith } from '#platform/observability/tracing.ts';

export interface Reads {
  /** Names of the GraphQL documents, sorted. */
  readonly documents: readonly string[];
  /** Number of SQL statements. */
  readonly statements: number;
}

/** Runs `request` on its own and returns what it read from the service in this process. */
export async function countReads(request: () => Promise<unknown>): Promise<Reads> {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  traceWith({ api, tracer: provider.getTracer('test') });
  try {
    await request();
  } finally {
    traceWith(null);
    api.context.disable();
  }
  await provider.forceFlush();
  const spans = exporter.getFinishedSpans();
  const documents = spans.flatMap(({ name }) => (/^query \w+$/.test(name) ? [name.slice('query '.length)] : []));
  const statements = spans.filter(({ attributes }) => 'db.system.name' in attributes).length;
  return { documents: documents.toSorted(), statements };
}
