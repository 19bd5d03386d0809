/** Receives traces by OTLP over HTTP, like a collector. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

interface ReceivedSpan {
  readonly name: string;
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

export interface TraceReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything received, to search for what must not be there. */
  text(): string;
  close(): Promise<void>;
}

interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { stringValue: string } }[];
    };
    readonly scopeSpans: readonly {
      readonly spans: readonly Record<'traceId' | 'spanId' | 'parentSpanId', Uint8Array>[];
    }[];
  }[];
}

/** The generic messages around those that the service itself decodes. */
const ENVELOPE = `
message ScopeSpans { repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message TraceRequest { repeated ResourceSpans resource_spans = 1; }`;

export async function traceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const proto = readFileSync(new URL('../../rest-adapter/telemetry/otlp.proto', import.meta.url), 'utf8');
  const request = protobuf.parse(proto + ENVELOPE).root.lookupType('books.TraceRequest');
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      bodies.push(body);
      const decoded = request.toObject(request.decode(body), { defaults: true }) as unknown as Wire;
      for (const { resource, scopeSpans } of decoded.resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          const id = (of: 'traceId' | 'spanId' | 'parentSpanId') => Buffer.from(span[of]).toString('hex');
          const { name } = span as unknown as { name: string };
          spans.push({ name, service, traceId: id('traceId'), spanId: id('spanId'), parentSpanId: id('parentSpanId') });
        }
      }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
