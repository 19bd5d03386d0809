/**
 * Middleware for the Vercel AI SDK, if a provider's `fetch` cannot be replaced: `wrapLanguageModel({ model, middleware
 * })`.
 */
import type { Books } from './books.ts';
import { nowMs } from './clock.ts';
import { countBilledTools } from './count-billed-tools.generated.ts';
import { weightOf } from './estimate-tokens.ts';
import { isFields, text } from './read-response.ts';
import { readSdkCall } from './read-results.ts';
import { estimateOf } from './read-stream.ts';

interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}

interface GenerateInput<Result> {
  readonly doGenerate: () => PromiseLike<Result>;
  readonly model: ModelName;
}

interface StreamInput<Result> {
  readonly doStream: () => PromiseLike<Result>;
  readonly model: ModelName;
  /** Parameters of the call: its prompt, its tools. */
  readonly params?: unknown;
}

export interface BooksMiddleware {
  readonly specificationVersion: 'v3';
  wrapGenerate<Result>(input: GenerateInput<Result>): Promise<Result>;
  wrapStream<Result>(input: StreamInput<Result>): Promise<Result>;
}

/**
 * Reports one event per model call. Combined with `books.fetch`, each call is still one event, since both use the same
 * key.
 */
export function booksMiddleware(books: Books): BooksMiddleware {
  return {
    specificationVersion: 'v3',
    async wrapGenerate({ doGenerate, model }) {
      const invokedAt = new Date(nowMs());
      const result = await doGenerate();
      if (isFields(result)) {
        const response = isFields(result['response']) ? result['response'] : {};
        const usage = isFields(result['usage']) ? result['usage'] : null;
        const reading = {
          id: text(response['id']),
          model: text(response['modelId']) ?? model.modelId,
          provider: model.provider,
          usage,
          billedTools: countBilledTools(result),
          isWhole: usage !== null,
        };
        books.record(readSdkCall(reading), { invokedAt });
      }
      return result;
    },
    async wrapStream({ doStream, model, params }) {
      const invokedAt = new Date(nowMs());
      const context = books.context();
      const result = await doStream();
      const { stream } = result as { stream?: unknown };
      if (!(stream instanceof ReadableStream)) return result;
      return {
        ...result,
        stream: observeParts(stream, { model, params }, (reading) => books.record(reading, { ...context, invokedAt })),
      };
    },
  };
}

function observeParts(
  stream: ReadableStream<unknown>,
  { model: { provider, modelId }, params }: { readonly model: ModelName; readonly params: unknown },
  record: (reading: ReturnType<typeof readSdkCall>) => void,
): ReadableStream<unknown> {
  const reader = stream.getReader();
  let id: string | null = null;
  let model: string = modelId;
  let usage: Readonly<Record<string, unknown>> | null = null;
  const content: unknown[] = [];
  let providerMetadata: unknown;
  let isRecorded = false;
  let passed = 0;
  const end = (): void => {
    if (isRecorded) return;
    isRecorded = true;
    const billedTools = countBilledTools({ model, content, providerMetadata });
    const reading = readSdkCall({ id, model, provider, usage, billedTools, isWhole: usage !== null });
    record(usage === null ? { ...reading, estimate: estimateOf(params, passed, model) } : reading);
  };
  const take = (part: unknown): void => {
    if (!isFields(part)) return;
    if (part['type'] === 'response-metadata') {
      id = text(part['id']) ?? id;
      model = text(part['modelId']) ?? model;
    }
    if (typeof part['delta'] === 'string') passed += weightOf(part['delta']);
    if (part['type'] === 'tool-call' || part['type'] === 'tool-result') content.push(part);
    if (part['type'] !== 'finish') return;
    if (isFields(part['usage'])) usage = part['usage'];
    providerMetadata = part['providerMetadata'];
  };
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            take(value);
            controller.enqueue(value);
            return;
          }
        } catch (error) {
          end();
          controller.error(error);
          return;
        }
        end();
        controller.close();
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
