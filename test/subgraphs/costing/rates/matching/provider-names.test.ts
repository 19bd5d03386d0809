/** Names, hosts and forms of responses by which providers are recognized, listed by hand from their documentation. */
import { describe, expect, it } from 'vitest';
import { canonicalProvider, isGateway } from '#usage/names/canonical-provider.ts';
import { isOfGovernment } from '#usage/names/government-cloud.ts';
import { regionOfHost } from '#usage/names/region-of-host.ts';
import { sellerOfHost } from '#usage/names/seller-of-host.ts';
import { routerOf, ownerOf, sellerOfCall, sellerOfClaude, sellerOfForm } from '#usage/names/seller-of-response.ts';

const ALIASES: Readonly<Record<string, string>> = {
  aws: 'bedrock aws-bedrock amazon-bedrock amazon bedrock-converse',
  google:
    'gemini vertex vertex-ai vertexai google-vertex google-vertex-ai vertex-anthropic google-vertex-anthropic ' +
    'vertex-ai-anthropic google-ai-studio google-genai google-gla google-gemini gcp-gemini gcp-gen-ai ' +
    'google-generative-ai google-genai-sdk gcp gcp-vertex-ai gcp-vertex-agent',
  'x-ai': 'xai grok',
  azure:
    'azure-openai azure-ai azure-ai-openai azure-ai-inference microsoft-azure az-ai-openai az-ai-inference ' +
    'azure-cognitive-services azure-foundry azure-ai-agents',
  openai: 'open-ai',
  anthropic: 'claude',
  mistral: 'mistralai mistral-ai',
  moonshotai: 'moonshot moonshot-ai',
  deepseek: 'deep-seek',
  perplexity: 'pplx',
  voyageai: 'voyage voyage-ai',
  zhipuai: 'zhipu',
  zai: 'z-ai z.ai',
  together: 'together-ai togetherai',
  fireworks: 'fireworks-ai',
  openrouter: 'open-router',
  cloudflare: 'workers-ai cloudflare-workers-ai',
  'github-copilot': 'copilot',
  vercel: 'vercel-ai-gateway gateway',
};
const LIBRARIES =
  'litellm litellm-proxy langchain llamaindex langgraph ' +
  'strands-agents semantic-kernel autogen crewai pydantic-ai spring-ai openai-compatible openai-like custom-openai';
const GATEWAYS =
  'ai-gateway portkey helicone cloudflare-ai-gateway cf-ai-gateway kong kong-ai-gateway requesty bifrost truefoundry ' +
  'llmgateway llm-gateway kilo kilo-gateway opencode opencode-zen unify martian aihubmix glama eden-ai edenai orq poe';
const SUFFIXES =
  'chat completion completions response responses messages generative-ai vertex converse embedding embeddings image ' +
  'images speech transcription audio realtime batch beta api text language-models chat-models text-models ' +
  'embedding-models anthropic-models mistral-models llama-models vision-models image-models';

it.each(Object.entries(ALIASES).flatMap(([slug, names]) => names.split(' ').map((name) => [name, slug])))(
  '%s is %s',
  (name, slug) => {
    expect(canonicalProvider(name)).toBe(slug);
  },
);

it.each(LIBRARIES.split(' '))('%s sells no models', (name) => {
  expect(canonicalProvider(name)).toBeNull();
  expect(isGateway(name)).toBe(false);
});

it.each(GATEWAYS.split(' '))('%s is a gateway', (name) => {
  expect(canonicalProvider(name)).toBeNull();
  expect(isGateway(name)).toBe(true);
  expect(isGateway(` ${name.toUpperCase()}.chat `)).toBe(true);
});

it.each(SUFFIXES.split(' '))('a name may end in %s', (suffix) => {
  expect(canonicalProvider(`groq.${suffix}`)).toBe('groq');
});

it('a name may have three such endings, and any separators', () => {
  expect(canonicalProvider('groq.chat.beta.api')).toBe('groq');
  expect(canonicalProvider('groq.chat.beta.api.text')).toBe('unknown');
  expect(['x.ai', 'x_ai', 'x ai', 'x/ai', 'x:ai', 'X-AI'].map((name) => canonicalProvider(name))).toEqual(
    Array.from({ length: 6 }, () => 'x-ai'),
  );
});

it.each([
  ['api.openai.com', 'openai'],
  ['eu.api.openai.com', 'openai'],
  ['api.openai.com.example.com', null],
  ['x.openai.azure.com', 'azure'],
  ['x.cognitiveservices.azure.com', 'azure'],
  ['x.services.ai.azure.com', 'azure'],
  ['x.openai.azure.us', 'azure'],
  ['api.anthropic.com', 'anthropic'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 'aws'],
  ['bedrock-runtime-fips.us-east-1.amazonaws.com', 'aws'],
  ['bedrock-mantle.us-east-1.api.aws', 'aws'],
  ['generativelanguage.googleapis.com', 'google'],
  ['aiplatform.googleapis.com', 'google'],
  ['us-east5-aiplatform.googleapis.com', 'google'],
  ['aiplatform.eu.rep.googleapis.com', 'google'],
  ['api.x.ai', 'x-ai'],
  ['eu-west-1.api.x.ai', 'x-ai'],
  ['openrouter.ai', 'openrouter'],
  ['API.OPENROUTER.AI', 'openrouter'],
  ['api.groq.com', 'groq'],
  ['api.deepseek.com', 'deepseek'],
  ['api.mistral.ai', 'mistral'],
  ['api.moonshot.ai', 'moonshotai'],
  ['api.moonshot.cn', 'moonshotai'],
  ['api.minimax.io', 'minimax'],
  ['api.minimaxi.com', 'minimax'],
  ['api.minimax.chat', 'minimax'],
  ['api.z.ai', 'zai'],
  ['open.bigmodel.cn', 'zhipuai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.cerebras.ai', 'cerebras'],
  ['api.fireworks.ai', 'fireworks'],
  ['api.together.xyz', 'together'],
  ['api.together.ai', 'together'],
  ['api.acme.com', null],
  [null, null],
])('%s is the host of %s', (host, seller) => {
  expect(sellerOfHost(host)).toBe(seller);
});

it.each([
  ['eu.api.openai.com', 'eu'],
  ['api.openai.com', null],
  ['eu.api.x.ai', 'eu'],
  ['us-east-1.api.x.ai', 'us'],
  ['us-east5-aiplatform.googleapis.com', 'us-east5'],
  ['aiplatform.googleapis.com', 'global'],
  ['aiplatform.eu.rep.googleapis.com', 'eu'],
  ['bedrock-runtime.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
  ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
  ['bedrock-runtime.us-east-1.amazonaws.com', null],
  ['EU.API.OPENAI.COM', 'eu'],
  [null, null],
])('%s is in the region %s', (host, region) => {
  expect(regionOfHost(host)).toBe(region);
});

it.each([
  ['us-gov.anthropic.claude', true],
  ['us-gov-west-1', true],
  ['usgov-arizona', true],
  ['arn:aws-us-gov:bedrock', true],
  ['bedrock/us-gov-west-1/claude', true],
  ['bedrock-runtime.us-gov-west-1.amazonaws.com', true],
  ['us-east-1', false],
  ['status-gov', false],
])('%s belongs to the government: %s', (name, expected) => {
  expect(isOfGovernment(name)).toBe(expected);
});

const MODELS: readonly (readonly [string, string | null])[] = [
  ...['gpt-4o', 'openai/gpt-5', 'ft:gpt-4o:acme', 'chatgpt-4o-latest', 'codex-mini', 'o3', 'computer-use-preview'].map(
    (model) => [model, 'openai'] as const,
  ),
  ...['text-embedding-3-small', 'text-embedding-ada-002', 'whisper-1', 'tts-1'].map(
    (model) => [model, 'openai'] as const,
  ),
  ['gpt-oss-120b', null],
  ['claude-opus-4-1', 'anthropic'],
  ['us.claude-x', 'anthropic'],
  ['anthropic/claude-x', 'anthropic'],
  ['my-claude', null],
  ['gemini-2.5-pro', 'google'],
  ['models/gemini-2.5-pro', 'google'],
  ['grok-4', 'x-ai'],
  ['grok-1', null],
  ['grok-2', null],
  ['x-ai/grok-3', 'x-ai'],
  ['sonar-pro', 'perplexity'],
  ['Sonar', 'perplexity'],
  ['llama-3', null],
];
it.each(MODELS)('%s belongs to %s', (model, owner) => {
  expect(ownerOf(model)).toBe(owner);
});

it.each([
  [null, 'anthropic'],
  ['claude-opus-4-1', 'anthropic'],
  ['claude-opus-4-1@20250805', 'google'],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude', 'aws'],
  ['us.anthropic.claude-opus-4-1', 'aws'],
  ['us-gov.anthropic.claude-opus-4-1', 'aws'],
  ['anthropic.claude-opus-4-1', 'aws'],
  ['anthropic/claude-opus-4-1', null],
  ['glm-4.6', null],
])('%s in the protocol of Claude is sold by %s', (model, seller) => {
  expect(sellerOfClaude(model)).toBe(seller);
});

describe('a call whose provider is given as OpenAI', () => {
  const OPEN =
    'deepseek-chat kimi-k2 moonshot-v1 minimax-m1 glm-4.6 qwen3 qwq-32b llama-3 meta-llama/x mistral-large mixtral-8x7b ' +
    'ministral-8b codestral-latest magistral-small devstral-small command-r gemma-3 nova-pro jamba-large phi-4 gpt-oss-120b';
  it.each(OPEN.split(' '))('belongs to another vendor if its model is %s', (model) => {
    expect(sellerOfCall('openai', { id: null, model, host: null })).toBeNull();
    expect(sellerOfCall('openai', { id: null, model, host: 'models.acme.com' })).toBe('openai');
  });

  it.each<[string, string | null, string | null, string | null, string | null]>([
    ['another provider', 'acme', 'r', 'claude-x', 'acme'],
    ['a generation of OpenRouter', 'openai', 'gen-1', 'openai/gpt-4o', 'openrouter'],
    ['a generation without a model', 'acme', 'gen-1', null, 'openrouter'],
    ['a similar id with a bare model', 'acme', 'gen-1', 'gpt-4o', 'acme'],
    ['a deployment', 'openai', 'r', 'my-deployment', 'openai'],
    ['Claude', 'openai', 'r', 'claude-x', null],
    ['nothing', null, null, null, null],
  ])('has the seller that the call shows: %s', (_, named, id, model, seller) => {
    expect(sellerOfCall(named, { id, model, host: null })).toBe(seller);
  });

  it('is decided by its host', () => {
    expect(sellerOfCall('openai', { id: null, model: 'gpt-4o', host: 'api.x.ai' })).toBe('x-ai');
    expect(sellerOfCall('openai', { id: null, model: 'llama-3', host: 'api.openai.com' })).toBe('openai');
    expect(sellerOfCall('openai', { id: null, model: 'claude-x', host: 'models.acme.com' })).toBeNull();
  });
});

it.each<[object, object | null, string | null, string | null]>([
  [{ id: 'gen-1' }, null, null, 'openrouter'],
  [{}, { cost_details: {} }, null, 'openrouter'],
  [{}, { is_byok: false }, null, 'openrouter'],
  [{ id: 'gen_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, { is_byok: false }, null, 'vercel'],
  [{ id: 'gen_1' }, null, null, null],
  [{ providerMetadata: { gateway: {} } }, { cost_details: {} }, null, 'vercel'],
  [{ object: 'interaction' }, null, null, 'google'],
  [{}, { total_thought_tokens: 0 }, null, 'google'],
  [{ usageMetadata: {} }, null, null, 'google'],
  [{ modelVersion: 'x' }, null, null, 'google'],
  [{ model_version: 'x' }, null, null, 'google'],
  [{ ResponseMetadata: {} }, null, null, 'aws'],
  [{ inputTextTokenCount: 0 }, null, null, 'aws'],
  [{ object: 'chat.completion', id: 'chatcmpl-1', x_groq: {} }, null, 'llama-3', 'groq'],
  [{ type: 'message' }, null, 'claude-x', 'anthropic'],
  [{ id: 'msg_1' }, null, 'claude-x', 'anthropic'],
  [{ prompt_eval_count: 0 }, null, null, 'ollama'],
  [{ eval_count: 0 }, null, null, 'ollama'],
  ...['chat.completion', 'response', 'text_completion', 'chat.completion.chunk'].map(
    (object): [object, null, string, string] => [{ object, id: 'chatcmpl-1' }, null, 'gpt-4o', 'openai'],
  ),
  ...['resp_1', 'cmpl-1'].map((id): [object, null, string, string] => [
    { object: 'response', id },
    null,
    'gpt-4o',
    'openai',
  ]),
  [{ object: 'response', id: 'x-1' }, null, 'gpt-4o', null],
  [{ object: 'list', id: 'resp_1' }, null, 'gpt-4o', null],
  [{ object: 'response', id: 'resp_1' }, null, 'llama-3', null],
  [{}, null, null, null],
])('%j with %j and %s belongs to %s', (response, usage, model, seller) => {
  const [fields, counts] = [response as Record<string, unknown>, usage as Record<string, unknown> | null];
  expect(routerOf(fields, counts, null) ?? sellerOfForm(fields, counts, model)).toBe(seller);
});
