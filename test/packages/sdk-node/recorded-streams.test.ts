/**
 * Streams as sent by providers: every byte reaches the caller, and the event has the final counts. We may not
 * redistribute the recordings: `RECORDED_STREAMS` names a folder of `PROVIDER/NAME.chunks.txt`, one event's data per
 * line, as in `packages/NAME/src/__fixtures__` of vercel/ai (Apache-2.0).
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createBooks, type UsageEvent } from '../../../packages/sdk-node/books.ts';

const folder = process.env['RECORDED_STREAMS'];
/** Data received over a WebSocket is not an event stream. */
const OTHER = /speech-translation/;
const files =
  folder && existsSync(folder)
    ? globSync('*/*.chunks.txt', { cwd: folder })
        .filter((file) => !OTHER.test(file))
        .toSorted()
    : [];

const ENDPOINTS: Readonly<Record<string, string>> = {
  anthropic: '/v1/messages',
  google: '/v1beta/models/gemini-x:streamGenerateContent',
};

describe.skipIf(files.length === 0)('recorded streams', () => {
  test.each(files.map((file) => [file]))('%s', async (file) => {
    const lines = readFileSync(join(folder!, file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const events = lines.flatMap(parse);
    const isChat = lines[0]?.includes('"choices"') ?? false;
    const sent = lines.map((line) => `data: ${line}\n\n`);
    if (isChat) sent.push('data: [DONE]\n\n');
    const bytes = new TextEncoder().encode(sent.join(''));
    const usages = events.flatMap(usageIn);
    const truth = usages.length === 0 ? [] : [Object.assign({}, ...usages)];
    const isFailed = events.some(({ type }) => type === 'response.failed') && truth.length === 0;
    for (const pieceBytes of [4096, 13]) {
      for (const isCounted of [true, false]) {
        const dropped: UsageEvent[] = [];
        const books = createBooks({
          apiKey: 'none',
          // Every event is dropped, which the test checks.
          bufferBytes: 1,
          onDrop: (event) => dropped.push(event),
          fetch: async () =>
            new Response(inPieces(bytes, pieceBytes), { headers: { 'content-type': 'text/event-stream' } }),
        });
        const options = isCounted ? { stream_options: { include_usage: true } } : {};
        const path = ENDPOINTS[dirname(file)] ?? (isChat ? '/v1/chat/completions' : '/v1/responses');
        const body = JSON.stringify({ stream: true, ...options });
        const response = await books.fetch(`http://localhost${path}`, { method: 'POST', body });
        const shown = isChat && !isCounted ? sent.filter((one) => !isCountsAlone(one)) : sent;
        expect(await response.text()).toBe(shown.join(''));
        expect(dropped.map(({ metadata }) => metadata['usage'] ?? metadata['usageMetadata'] ?? null)).toEqual(
          isFailed ? [] : truth.length === 0 ? [null] : truth,
        );
        if (!isFailed) expect(dropped[0]?.metadata['incomplete'] ?? false).toBe(truth.length === 0);
        await books.close(0);
      }
    }
  });
});

function parse(line: string): any[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function inPieces(bytes: Uint8Array<ArrayBuffer>, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
}

function isCountsAlone(event: string): boolean {
  const [fields] = parse(event.slice('data: '.length));
  return Array.isArray(fields?.choices) && fields.choices.length === 0 && fields.usage != null;
}

/** Null counts do not overwrite earlier ones. */
function usageIn(event: any): object[] {
  return [event.usage, event.response?.usage, event.message?.usage, event.usageMetadata]
    .filter((one) => one && typeof one === 'object')
    .map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)));
}
