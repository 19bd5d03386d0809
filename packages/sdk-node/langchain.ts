/** A callback of LangChain, where a model's `fetch` cannot be replaced: `model.invoke(input, { callbacks: [booksCallback(books)] })`. */
import type { Books, CallContext } from './books.ts';
import { nowMs } from './clock.ts';
import { type Fields, isFields, plainModel, providerOf, type Reading, text } from './read-response.ts';

export interface BooksCallback {
  readonly name: string;
  /** The event must not come after the end of the process. */
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

/** Runs that never end are forgotten, oldest first. */
const RUNS_MAX = 10_000;

/** One event for each call of a model; chains and tools have none. A run that fails was not billed. */
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
    isWhole: usage !== null,
  };
}

/** LangChain gives a message an id of its own where the provider has none. */
function providerId(id: string | null): string | null {
  return id === null || /^(run-|lc_run-)/.test(id) ? null : id;
}

/** Its own counts are totals: cached tokens lie in the input, reasoning in the output. */
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
