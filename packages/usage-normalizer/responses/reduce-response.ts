/** Reduces a response to what is passed on: names, times and counts. Prompts and responses are dropped. */
import { type Fields, isObject, objectOf } from '#kernel/json/json-object.ts';
import { countBilledTools } from '../counts/count-billed-tools.ts';
import { hasOutput } from './has-output.ts';
import { WRAPPERS } from './unwrap-response.ts';

/** Fields of a response, and of an event around it. */
const FIELDS: ReadonlySet<string> = new Set(
  (
    'id object type model modelId model_name modelVersion model_version responseId response_id generation_id ' +
    'created created_at createTime create_time timestamp performanceConfig ' +
    'service_tier provider model_provider usage totalUsage usageMetadata usage_metadata usage_info token_usage tokenUsage ' +
    'inputTextTokenCount prompt_token_count generation_token_count prompt_tokens completion_tokens total_tokens ' +
    'idempotency_key incomplete user_id session_id session_type agent_id workflow_id feature ' +
    'span_id parent_span_id experiment metadata event_invoked_at ' +
    // Ollama, and OpenRouter's record of a generation in both spellings of its SDKs
    'prompt_eval_count eval_count native_tokens_prompt native_tokens_completion native_tokens_reasoning native_tokens_cached ' +
    'native_tokens_completion_images total_cost upstream_inference_cost is_byok num_search_results createdAt serviceTier ' +
    'nativeTokensPrompt nativeTokensCompletion nativeTokensReasoning nativeTokensCached nativeTokensCompletionImages ' +
    'totalCost upstreamInferenceCost isByok numSearchResults ' +
    // Transcriptions
    'task duration ' +
    // Lines of a batch's result file, and of a coding agent's transcript
    'custom_id key recordId batch_request_id processed_time status_code requestId sessionId costUSD ' +
    // Claude: why it stopped. Then fields of objects that are not responses
    'stop_reason status trained_tokens ' +
    // How the call was served, stated beside the response
    'inference_geo vertex_location speed'
  ).split(' '),
);

/** Objects that contain the response or a part of it. */
const OUTER: ReadonlySet<string> = new Set([...WRAPPERS, 'response_metadata', 'data']);
const WRAPPERS_DEPTH_MAX = 4;

/** Objects and lists of which only the counts are passed on. */
const COUNTED: ReadonlySet<string> = new Set([
  'meta',
  'results',
  'predictions',
  'embeddings',
  'providerMetadata',
  'amazon-bedrock-invocationMetrics',
]);
const COUNTS_DEPTH_MAX = 6;

const BEDROCK_HEADER =
  /^x-amzn-bedrock-(?:[a-z-]*(?:token|search-unit)-count|service-tier|performanceconfig-latency)$|^x-amzn-requestid$/i;

/** `levels`: how many wrappers within one another are followed. */
export function reduceResponse(item: unknown, levels = WRAPPERS_DEPTH_MAX): Fields {
  const reduced: Record<string, unknown> = {
    billed_tools: countBilledTools(item),
    ...(levels === WRAPPERS_DEPTH_MAX && hasOutput(item) ? { has_output: true } : {}),
    ...gatewayOf(objectOf(item)),
  };
  for (const [name, value] of Object.entries(objectOf(item))) {
    if (FIELDS.has(name)) reduced[name] = value;
    else if (OUTER.has(name) && isObject(value) && levels > 0) reduced[name] = reduceResponse(value, levels - 1);
    else if (COUNTED.has(name)) reduced[name] = countsOf(value);
    else if (name === 'x_groq') reduced[name] = countsOf(value) ?? {};
    else if (name === 'headers') reduced[name] = headersOf(value);
    else if (name === 'ResponseMetadata')
      reduced[name] = {
        RequestId: objectOf(value)['RequestId'],
        HTTPHeaders: headersOf(objectOf(value)['HTTPHeaders']),
      };
    else if (name === 'error' && value !== null) reduced[name] = true;
  }
  return reduced;
}

/** Metadata of Vercel's gateway, which is beside the output or in the message of a choice. */
function gatewayOf({ provider_metadata: beside, choices }: Fields): Fields {
  const ofChoices = (Array.isArray(choices) ? choices : []).flatMap((choice) =>
    ['message', 'delta'].map((name) => objectOf(objectOf(choice)[name])['provider_metadata']),
  );
  const gateway = [beside, ...ofChoices].map((metadata) => objectOf(metadata)['gateway']).find(isObject);
  return gateway === undefined ? {} : { providerMetadata: { gateway: countsOf(gateway) ?? {} } };
}

/** Names of texts that say how a call was served or counted. */
const SERVED: ReadonlySet<string> = new Set([
  'serviceTier',
  'service_tier',
  'inference_geo',
  'speed',
  'trafficType',
  'modality',
]);
const SHORT_NAME = /^[\w.-]{1,64}$/;
/** Vercel's gateway states its cost, and the vendor's for a caller's own key, as text. */
const COSTS: ReadonlySet<string> = new Set(['cost', 'marketCost']);
const AMOUNT = /^\d{1,12}(?:\.\d{1,30})?$/;

/** The numbers in a value, by name; undefined if there are none. */
export function countsOf(value: unknown, levels = COUNTS_DEPTH_MAX, name = ''): unknown {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && SERVED.has(name) && SHORT_NAME.test(value)) return value;
  if (typeof value === 'string' && COSTS.has(name) && AMOUNT.test(value)) return value;
  if (levels === 0) return undefined;
  if (Array.isArray(value)) {
    // A list of numbers is an embedding, not a count.
    const inner = value.filter(isObject).flatMap((each) => countsOf(each, levels - 1) ?? []);
    return inner.length === 0 ? undefined : inner;
  }
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const counts = countsOf(each, levels - 1, name);
    return counts === undefined ? [] : [[name, counts]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function headersOf(value: unknown): Fields {
  return Object.fromEntries(Object.entries(objectOf(value)).filter(([name]) => BEDROCK_HEADER.test(name)));
}
