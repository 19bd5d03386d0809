/** The OpenTelemetry messages that are read and written, as declared in `otlp.proto`. Parsed on first use. */
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

type Message = 'ExportResponse' | 'InstrumentationScope' | 'LogRecord' | 'Resource' | 'Span' | 'Status';

let root: protobuf.Root | null = null;

export function otlpMessage(name: Message): protobuf.Type {
  root ??= protobuf.parse(readFileSync(new URL('./otlp.proto', import.meta.url), 'utf8')).root;
  return root.lookupType(`books.${name}`);
}
