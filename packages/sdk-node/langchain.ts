/**
 * Callback for LangChain, if a model's `fetch` cannot be replaced: `model.invoke(input, { callbacks:
 * [booksCallback(books)] })`.
 */
import type { Books, CallContext } from './books.ts';
import { nowMs } from './clock.ts';
import { countBilledTools } from './count-billed-tools.generated.ts';
import { type Fields, isFields, plainModel, providerOf, type Reading, text } from './read-response.ts';

export interface BooksCallback {
  readonly name: string;
  /** Makes LangChain wait, so that the event is recorded before the process ends. */
  readonly awaitHandlers: boolean;
  handleChatModelStart(...args: unknown[]): void;
  handleLLMStart(...args: unknown[]): void;
  handleLLMEnd(output: unknown, runId: string): void;
  handleLLMError(error: unknown, runId: string): void;
}

interface Run {
  readonly context: CallContext;
  readonly invokedAt: Date;
  readonly provider: string | null;
  readonly model: string | null;
}

/** Runs kept at most; the oldest are dropped, since some never end. */
const RUNS_MAX = 10_000;

/** Reports one event per model call, none for chains and tools. Failed runs are not billed. */
export function booksCallback(books: Books, context: CallContext = {}): BooksCallback {
  const runs = new Map<string, Run>();
  const begin = (...args: unknown[]): void => {
    const [, , runId, , , , metadata] = args;
    const named = isFields(metadata) ? metadata : {};
    runs.set(String(runId), {
      context: books.context(),
      invokedAt: new Date(nowMs()),
      provider: text(named['ls_provider']),
      model: text(named['ls_model_name']),
    });
    if (runs.size > RUNS_MAX) runs.delete(runs.keys().next().value!);
  };
  return {
    name: 'ai-product-books',
    awaitHandlers: true,
    handleChatModelStart: begin,
    handleLLMStart: begin,
    handleLLMEnd(output, runId) {
      const run = runs.get(runId);
      runs.delete(runId);
      const reading = readRun(output, run);
      if (reading !== null) books.record(reading, { ...run?.context, ...context, invokedAt: run?.invokedAt });
    },
    handleLLMError(_, runId) {
      runs.delete(runId);
    },
  };
}

function readRun(output: unknown, run: Run | undefined): Reading | null {
  const result = isFields(output) ? output : {};
  const [first] = Array.isArray(result['generations']) ? (result['generations'] as unknown[]).flat() : [];
  const message = isFields(first) && isFields(first['message']) ? first['message'] : {};
  const response = isFields(message['response_metadata']) ? message['response_metadata'] : {};
  const model = text(response['model_name']) ?? text(response['model']) ?? run?.model ?? null;
  const id = text(response['id']) ?? providerId(text(message['id']));
  const usage = isFields(response['usage']) ? response['usage'] : flatUsage(message['usage_metadata']);
  return {
    provider: run?.provider ?? providerOf({ id }, model),
    id,
    model: plainModel(model),
    usage,
    serviceTier: text(response['service_tier']),
    billedTools: countBilledTools({ ...message, ...response, model, usage }),
    isWhole: usage !== null,
  };
}

/** Ignores ids that LangChain generated because the provider sent none. */
function providerId(id: string | null): string | null {
  return id === null || /^(run-|lc_run-)/.test(id) ? null : id;
}

/** Converts LangChain's counts, which are totals: input includes cached tokens, output includes reasoning. */
function flatUsage(usage: unknown): Fields | null {
  if (!isFields(usage)) return null;
  const input = isFields(usage['input_token_details']) ? usage['input_token_details'] : {};
  const output = isFields(usage['output_token_details']) ? usage['output_token_details'] : {};
  const counts = {
    input_tokens: usage['input_tokens'],
    output_tokens: usage['output_tokens'],
    total_tokens: usage['total_tokens'],
    cache_read_input_tokens: input['cache_read'],
    cache_creation_input_tokens: input['cache_creation'],
    reasoning_tokens: output['reasoning'],
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => typeof count === 'number'));
}
