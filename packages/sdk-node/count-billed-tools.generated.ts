// Copied from packages/usage-normalizer/counts/count-billed-tools.ts by `npm run generate`. Do not edit.
/** Counts the billed tool calls in a provider's response. Returns numbers only, no content. */

type Fields = Readonly<Record<string, unknown>>;

/** Numbers of billed tools by unit name of rate cards. Zeros are left out. */
export type BilledTools = Readonly<Record<string, number>>;

const ITEMS_MAX = 10_000;

/** `{}` for a response without tool calls, and for anything that is not a response. */
export function countBilledTools(response: unknown): BilledTools {
  const fields = objectOf(response);
  const counts = new Map<string, number>();
  const add = (name: string, count: number) => {
    if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
  };
  countOutput(fields, add);
  countGrounding(fields, add);
  countContent(fields, add);
  countServerTools(fields, add);
  countImages(fields, add);
  return Object.fromEntries(counts);
}

type Add = (name: string, count: number) => void;

/** OpenAI's Responses API and compatible ones: `output`, and the counts of `tool_usage`, which take precedence. */
function countOutput(response: Fields, add: Add): void {
  // LangChain passes on the output's items in its content, or next to it.
  const passedOn = [response['content'], objectOf(response['additional_kwargs'])['tool_outputs']];
  const output = [response['output'], ...passedOn].flatMap(listOf).filter(({ status }) => status !== 'failed');
  const ofType = (type: string) => output.filter((call) => call['type'] === type);
  const searches = ofType('web_search_call').filter(isSearch).length;
  const stated = numberAt(response, ['tool_usage', 'web_search', 'num_requests']);
  add(usesPreviewSearch(response) ? 'web_search_previews' : 'web_searches', stated ?? searches);
  add('storage_searches', ofType('file_search_call').length);
  add('generated_images', ofType('image_generation_call').length);
  const isGenerated = ofType('image_generation_call').length > 0;
  if (!isGenerated)
    add('generated_images', Math.min(1, numberAt(response, ['tool_usage', 'image_gen', 'total_tokens']) ?? 0));
  const containers = new Set([...ofType('code_interpreter_call'), ...ofType('shell_call')].flatMap(containerOf));
  add(containerUnit(response), containers.size);
  add('x_searches', ofType('x_search_call').length);
  add(UNKNOWN_TOOL, output.filter(({ type }) => isUnknownCall(textOf(type))).length);
}

/** Types of calls that are counted above, are free, or are answered by the caller. */
const KNOWN_CALLS = new Set(
  (
    'web_search file_search image_generation code_interpreter shell x_search function custom_tool mcp computer local_shell ' +
    'apply_patch tool_search azure_function openapi'
  ).split(' '),
);

/** For example Azure's `bing_grounding_call`, which may have a fee. */
function isUnknownCall(type: string): boolean {
  return type.endsWith('_call') && !KNOWN_CALLS.has(type.slice(0, -'_call'.length));
}

/** Opening a page and searching within it are free. */
function isSearch({ action }: Fields): boolean {
  const type = objectOf(action)['type'];
  return type === undefined || type === 'search';
}

function usesPreviewSearch({ tools }: Fields): boolean {
  const types = textsOf(listOf(tools).map(({ type }) => type));
  return types.some((type) => type.startsWith('web_search_preview')) && !types.includes('web_search');
}

/** A shell that the caller runs itself is not billed. */
function containerOf(call: Fields): string[] {
  const id = call['container_id'] ?? objectOf(call['environment'])['container_id'];
  if (typeof id === 'string') return [id];
  return call['type'] === 'code_interpreter_call' ? [''] : [];
}

/** Containers with more memory have their own prices. */
function containerUnit({ tools }: Fields): string {
  const limits = listOf(tools).map((tool) => objectOf(tool['container'])['memory_limit']);
  const size = limits.find((limit): limit is string => typeof limit === 'string' && /^(?:4|16|64)g$/.test(limit));
  return size === undefined ? 'code_sessions' : `code_sessions_${size}`;
}

/** Gemini: distinct queries of a response count once each; a grounded prompt counts once. */
function countGrounding(response: Fields, add: Add): void {
  const ofAiSdk = objectOf(response['providerMetadata']);
  const holders = [
    response,
    ...listOf(response['candidates']),
    objectOf(ofAiSdk['google']),
    objectOf(ofAiSdk['vertex']),
  ];
  const grounded = holders.flatMap((holder) => {
    const metadata = objectOf(holder['groundingMetadata'] ?? holder['grounding_metadata']);
    return Object.keys(metadata).length === 0 ? [] : [metadata];
  });
  // The member in which LiteLLM passes on the metadata.
  grounded.push(...listOf(response['vertex_ai_grounding_metadata']));
  const queries = new Set(
    grounded.flatMap((metadata) =>
      ['webSearchQueries', 'web_search_queries', 'imageSearchQueries', 'image_search_queries'].flatMap((name) =>
        textsOf(metadata[name]),
      ),
    ),
  );
  const ofInteraction = queriesOfInteraction(response);
  const chunks = grounded.flatMap((metadata) => listOf(metadata['groundingChunks'] ?? metadata['grounding_chunks']));
  const isOfWeb = queries.size > 0 || chunks.some(({ web, image }) => isObject(web) || isObject(image));
  add('search_queries', isOfWeb ? Math.max(queries.size, 1) : ofInteraction);
  add('grounded_prompts', isOfWeb || ofInteraction > 0 ? 1 : 0);
  const hasWidget = grounded.some(
    (metadata) =>
      typeof (metadata['googleMapsWidgetContextToken'] ?? metadata['google_maps_widget_context_token']) === 'string',
  );
  // Grounding in the caller's own data at Vertex AI. The file search of the Gemini API is free.
  const isOfStore = chunks.some(({ retrievedContext }) => isObject(objectOf(retrievedContext)['ragChunk']));
  add('retrieval_prompts', isOfStore || grounded.some((one) => textsOf(one['retrievalQueries']).length > 0) ? 1 : 0);
  add('maps_prompts', hasWidget || chunks.some(({ maps }) => isObject(maps)) ? 1 : 0);
}

/** Gemini's interactions: the usage counts searches, otherwise their steps name the queries. */
function queriesOfInteraction(response: Fields): number {
  const counted = listOf(objectOf(response['usage'])['grounding_tool_count']).filter(
    ({ type }) => type === 'google_search',
  );
  if (counted.length > 0) return counted.reduce((sum, { count }) => sum + (isCount(count) ? count : 0), 0);
  const steps = [response['outputs'], response['steps']].flatMap(listOf);
  const calls = steps.filter(({ type }) => type === 'google_search_call');
  const queries = calls.flatMap((call) => textsOf(objectOf(call['arguments'])['queries']));
  return calls.length === 0 ? 0 : Math.max(new Set(queries).size, 1);
}

/** Anthropic: its usage counts searches; running code in a container is billed by time unless the call searches or fetches pages. */
function countContent(response: Fields, add: Add): void {
  const content = listOf(response['content']);
  const uses = content.filter(({ type }) => type === 'server_tool_use');
  const named = (...names: readonly string[]) => uses.filter(({ name }) => names.some((one) => one === name)).length;
  const used = objectOf(objectOf(response['usage'])['server_tool_use']);
  const stated = numberAt(used, ['web_search_requests']);
  const searches = stated ?? named('web_search');
  const fetches = numberAt(used, ['web_fetch_requests']) ?? named('web_fetch');
  add('web_searches', stated ?? searches - content.filter(isFailedSearch).length);
  const executions = named('code_execution', 'bash_code_execution', 'text_editor_code_execution');
  add('code_executions', searches + fetches === 0 ? executions : 0);
}

/** A search that returned an error is free. */
function isFailedSearch({ type, content }: Fields): boolean {
  const results = Array.isArray(content) ? listOf(content) : [objectOf(content)];
  return type === 'web_search_tool_result' && results.some((one) => one['type'] === 'web_search_tool_result_error');
}

/**
 * Counts the tools that xAI states next to its usage object, and those of Mistral's conversations, Groq's compound
 * systems, Moonshot's search and Cohere's rerank.
 */
function countServerTools(response: Fields, add: Add): void {
  for (const [name, count] of Object.entries(objectOf(response['server_side_tool_usage']))) {
    const unit = XAI_TOOLS.get(name.replace(/^SERVER_SIDE_TOOL_/, '').toLowerCase());
    if (unit !== undefined && isCount(count)) add(unit, count);
  }
  if (!isObject(objectOf(response['usage'])['connectors'])) {
    for (const { type, name } of listOf(response['outputs'])) {
      const unit = type === 'tool.execution' ? MISTRAL_TOOLS.get(name) : undefined;
      if (unit !== undefined) add(unit, 1);
    }
  }
  countToolsOfAiSdk(response, add);
  // A search model of the Chat Completions API searches once per call.
  if (/-search-preview/.test(textOf(response['model']))) add('web_search_previews', 1);
  if (/-search-api/.test(textOf(response['model']))) add('web_searches', 1);
  // Z.AI returns what a search found; Nova names its search in the content.
  add('web_searches', listOf(response['web_search']).length > 0 ? 1 : 0);
  const content = objectOf(objectOf(response['output'])['message'])['content'];
  add('web_searches', listOf(content).filter(({ toolUse }) => objectOf(toolUse)['name'] === 'nova_grounding').length);
  for (const choice of listOf(response['choices'])) {
    const message = objectOf(choice['message']);
    add('server_tools', listOf(message['executed_tools']).length);
    const calls = listOf(message['tool_calls']);
    add('web_searches', calls.filter((call) => objectOf(call['function'])['name'] === '$web_search').length);
  }
  add('search_units', numberAt(response, ['meta', 'billed_units', 'search_units']) ?? 0);
}

/** Tools that the provider ran, as the AI SDK names them. Gemini's are counted by their grounding. */
function countToolsOfAiSdk(response: Fields, add: Add): void {
  const parts = listOf(response['content']);
  const content = parts.filter(({ type }) => type === 'tool-call');
  const calls = content.length > 0 ? content : listOf(response['toolCalls']);
  const results = [...parts.filter(({ type }) => type === 'tool-result'), ...listOf(response['toolResults'])];
  const resultById = new Map(results.map((result) => [result['toolCallId'], result['output'] ?? result['result']]));
  for (const { toolName, toolCallId, providerExecuted, input } of calls) {
    if (providerExecuted !== true || isPageOpened(input) || isPageOpened(resultById.get(toolCallId))) continue;
    const unit = unitOfTool(textOf(toolName));
    if (unit !== null) add(unit, 1);
  }
}

/** The unit of a tool that a provider runs, by its name; null for tools that are free, or counted elsewhere. */
export function unitOfTool(name: string): string | null {
  if (/fetch|google|url_?context/i.test(name)) return null;
  return AI_SDK_TOOLS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN_TOOL;
}

/** A tool whose name says nothing about its fee. */
export const UNKNOWN_TOOL = 'server_tools';

/** OpenAI's search also opens pages and searches within them, which is free. */
function isPageOpened(holder: unknown): boolean {
  return /^(?:open|find)_?(?:in_?)?(?:page)?$/i.test(textOf(objectOf(objectOf(holder)['action'])['type']));
}

const AI_SDK_TOOLS: readonly (readonly [RegExp, string])[] = [
  [/web_?search_?preview/i, 'web_search_previews'],
  [/web_?search/i, 'web_searches'],
  [/^x_?search/i, 'x_searches'],
  [/file_?search|collections_?search/i, 'storage_searches'],
  [/code_?(?:interpreter|execution)/i, 'code_executions'],
  [/image_?generation/i, 'generated_images'],
];

/** An image API that reports no tokens bills per image. */
function countImages(response: Fields, add: Add): void {
  const usage = objectOf(response['usage']);
  if (Object.values(usage).some((count) => isCount(count) && count > 0)) return;
  const images = listOf(response['data']).filter(
    ({ url, b64_json }) => typeof url === 'string' || typeof b64_json === 'string',
  );
  add('generated_images', images.length);
}

const XAI_TOOLS: ReadonlyMap<unknown, string> = new Map([
  ['web_search', 'web_searches'],
  ['x_search', 'x_searches'],
  ['code_execution', 'code_executions'],
  ['code_interpreter', 'code_executions'],
  ['collections_search', 'storage_searches'],
  ['file_search', 'storage_searches'],
  ['attachment_search', 'attachment_searches'],
]);
const MISTRAL_TOOLS: ReadonlyMap<unknown, string> = new Map([
  ['web_search', 'web_searches'],
  ['web_search_premium', 'premium_searches'],
  ['code_interpreter', 'code_executions'],
  ['image_generation', 'generated_images'],
]);

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.slice(0, ITEMS_MAX).filter(isObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one.trim() !== '') : [];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Null if not stated. */
function numberAt(holder: Fields, path: readonly string[]): number | null {
  const value = path.reduce<unknown>(
    (found, name) => (isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
    holder,
  );
  return isCount(value) ? value : null;
}
