/** Reads what `track` is handed: responses, usage objects alone, and results of the AI SDK with a call in each step. */
import {
  type Fields,
  type Hints,
  isFields,
  plainModel,
  providerOf,
  type Reading,
  readResponse,
  text,
} from './read-response.ts';

/** Empty: nothing that was billed. */
export function readResults(value: unknown, hints: Hints): Reading[] {
  if (isFields(value) && Array.isArray(value['steps'])) {
    const steps = value['steps'].filter(isStep);
    if (steps.length > 0) return steps.map((step) => readStep(step, hints));
  }
  if (isFields(value) && isStep(value)) return [readStep(value, hints)];
  const reading = readResponse(value, hints);
  return reading === null ? [] : [reading];
}

/** A result of `generateText` or `embed`, and each of its steps: camel-case counts next to a response. */
function isStep(value: unknown): value is Fields {
  return (
    isFields(value) && isFields(value['usage']) && isSdkUsage(value['usage']) && !('object' in value && 'id' in value)
  );
}

function isSdkUsage(usage: Fields): boolean {
  return 'inputTokens' in usage || 'tokens' in usage || 'promptTokens' in usage;
}

function readStep(step: Fields, hints: Hints): Reading {
  const response = isFields(step['response']) ? step['response'] : {};
  const called = isFields(step['model']) ? step['model'] : {};
  // Bedrock's Converse: no id but the request's.
  const sent = requestIdOf(step);
  return readSdkCall({
    id: text(response['id']) ?? sent,
    model: hints.model ?? text(response['modelId']) ?? text(called['modelId']),
    provider: hints.provider ?? text(called['provider']) ?? (sent === null ? null : 'aws'),
    usage: step['usage'] as Fields,
    isWhole: true,
  });
}

/** Of the SDK for JavaScript, or of boto3. */
function requestIdOf(body: Fields): string | null {
  const { $metadata: own, ResponseMetadata: ofPython } = body;
  return (isFields(own) ? text(own['requestId']) : null) ?? (isFields(ofPython) ? text(ofPython['RequestId']) : null);
}

interface SdkCall {
  readonly id: string | null;
  readonly model: string | null;
  /** As the AI SDK names it: `openai.responses`. */
  readonly provider: string | null;
  readonly usage: Fields | null;
  readonly isWhole: boolean;
}

/** The provider's own counts where the SDK passes them on, else the SDK's. */
export function readSdkCall({ id, model, provider, usage, isWhole }: SdkCall): Reading {
  // Ids that the SDK makes itself, where a provider names none, begin so.
  const named = id !== null && /^aitxt-/.test(id) ? null : id;
  return {
    provider: houseOf(provider) ?? providerOf({ id: named }, model),
    id: named,
    model: plainModel(model),
    usage: usage === null ? null : isFields(usage['raw']) ? usage['raw'] : flatUsage(usage),
    serviceTier: null,
    isWhole,
  };
}

/** `openai.responses` → `openai`: one name whichever of a provider's doors was used. */
function houseOf(provider: string | null): string | null {
  return provider === null ? null : (provider.split('.')[0] ?? null);
}

/** Version 3 of its language models divides the counts; before that they were flat. */
function flatUsage(usage: Fields): Fields {
  const { inputTokens: input, outputTokens: output } = usage;
  if (!isFields(input) || !isFields(output)) return usage;
  return {
    inputTokens: input['total'] ?? 0,
    outputTokens: output['total'] ?? 0,
    inputTokenDetails: { cacheReadTokens: input['cacheRead'], cacheWriteTokens: input['cacheWrite'] },
    outputTokenDetails: { reasoningTokens: output['reasoning'] },
  };
}
