/** Collects the fields of a response from stream events. */
import { type BilledTools, countBilledTools } from './count-billed-tools.generated.ts';
import { estimateTokens, pieceWeight, promptWeight } from './estimate-tokens.ts';
import {
  type Fields,
  type Hints,
  isFields,
  largestCounts,
  plainModel,
  providerOf,
  type Reading,
  text,
  usageOf,
} from './read-response.ts';

export interface StreamReader {
  /** Takes the data of a server-sent event. */
  take(data: string): void;
  /** `hasEnded`: the provider ended the stream itself. Returns null if nothing was billed. */
  finish(hasEnded: boolean): Reading | null;
}

/** Only matching events are parsed; most are just pieces of text. */
const SAYS_SOMETHING =
  /"usage|_usage"|"server_tool_use"|"web_search_tool_result_error"|"message_start"|"(?:response\.(?:created|completed|incomplete|failed))"|"finish/;

export function createStreamReader(hints: Hints): StreamReader {
  let first: Fields | null = null;
  let id: string | null = null;
  let model: string | null = null;
  let usage: Record<string, unknown> | null = null;
  let serviceTier: string | null = null;
  /** True if `usage` contains the final counts. */
  let isFinal = false;
  let isFree = false;
  let passed = 0;
  let billedTools: BilledTools = {};
  const blocks: unknown[] = [];

  const takeFields = (event: Fields): void => {
    const body = isFields(event['message']) && event['type'] === 'message_start' ? event['message'] : event;
    const response = isFields(event['response']) ? event['response'] : body;
    first ??= response;
    id ??= text(response['id']) ?? text(response['responseId']);
    model ??= text(response['model']) || text(response['modelVersion']);
    serviceTier = text(response['service_tier']) ?? serviceTier;
    billedTools = largestCounts(billedTools, countBilledTools(response));
    if (event['type'] === 'content_block_start') blocks.push(event['content_block']);
    const found = usageIn(event, response);
    if (found !== null) usage = { ...usage, ...withoutNulls(found) };
    const verdict = endOf(event, found !== null);
    isFinal ||= verdict === 'final';
    isFree ||= verdict === 'free';
  };

  return {
    take(data) {
      passed += pieceWeight(data);
      if (first !== null && !SAYS_SOMETHING.test(data)) return;
      const event = parse(data);
      if (event !== null) takeFields(event);
    },
    finish(hasEnded) {
      if (isFree && usage === null) return null;
      const isWhole = isFinal || (hasEnded && usage !== null && !needsAnEnd(first ?? {}));
      const answered = model ?? hints.model ?? null;
      const provider = hints.provider ?? providerOf(first ?? {}, answered);
      const tools = largestCounts(billedTools, countBilledTools({ content: blocks, usage }));
      const reading = { provider, id, model: plainModel(answered), usage, serviceTier, billedTools: tools, isWhole };
      return isWhole ? reading : { ...reading, estimate: estimateOf(hints.request, passed, answered) };
    },
  };
}

/** `passed`: weight of the response so far. */
export function estimateOf(request: unknown, passed: number, model: string | null): NonNullable<Reading['estimate']> {
  return { input: estimateTokens(promptWeight(request), model), output: estimateTokens(passed, model) };
}

/** Streams that report counts before the end: only a final event makes them complete. */
function needsAnEnd(first: Fields): boolean {
  return first['type'] === 'message' || first['object'] === 'response' || 'candidates' in first;
}

function usageIn(event: Fields, response: Fields): Fields | null {
  const groq = isFields(event['x_groq']) ? event['x_groq'] : {};
  const delta = isFields(event['delta']) ? event['delta'] : {};
  for (const holder of [response, event, delta, groq]) {
    const found = isFields(holder['usage']) || isFields(holder['usageMetadata']) ? usageOf(holder) : null;
    if (found !== null) return found;
  }
  return null;
}

function endOf(event: Fields, hasUsage: boolean): 'final' | 'free' | null {
  switch (event['type']) {
    case 'message_delta':
    case 'message-end':
    case 'response.completed':
    case 'response.incomplete':
    case 'image_generation.completed':
    case 'image_edit.completed':
    case 'transcript.text.done':
      return hasUsage ? 'final' : null;
    case 'response.failed':
      return hasUsage ? 'final' : 'free';
  }
  if (!hasUsage) return null;
  const { choices, candidates, promptFeedback } = event;
  if (Array.isArray(choices)) return choices.every((one: Fields) => one['finish_reason']) ? 'final' : null;
  if (Array.isArray(candidates)) return candidates.some((one: Fields) => one['finishReason']) ? 'final' : null;
  return isFields(promptFeedback) && 'blockReason' in promptFeedback ? 'final' : null;
}

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function parse(data: string): Fields | null {
  if (!data.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(data);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
