/** Derives the seller of a call from the host that served it. */

const HOSTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:[a-z]{2}\.)?api\.openai\.com$/, 'openai'],
  [/\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us)$/, 'azure'],
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^bedrock-(?:runtime|mantle)[a-z-]*\./, 'aws'],
  [
    /(?:^generativelanguage|(?:^|-)aiplatform)\.googleapis\.com$|^aiplatform\.[a-z]{2}\.rep\.googleapis\.com$/,
    'google',
  ],
  [/(?:^|\.)api\.x\.ai$/, 'x-ai'],
  [/(?:^|\.)openrouter\.ai$/, 'openrouter'],
  [/^ai-gateway\.vercel\.sh$/, 'vercel'],
  [/^api\.groq\.com$/, 'groq'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^api\.mistral\.ai$/, 'mistral'],
  [/^api\.moonshot\.(?:ai|cn)$/, 'moonshotai'],
  [/^api\.minimax(?:i)?\.(?:io|com|chat)$/, 'minimax'],
  [/^api\.z\.ai$/, 'zai'],
  [/^open\.bigmodel\.cn$/, 'zhipuai'],
  [/^api\.perplexity\.ai$/, 'perplexity'],
  [/^api\.cerebras\.ai$/, 'cerebras'],
  [/^api\.fireworks\.ai$/, 'fireworks'],
  [/^api\.together\.(?:xyz|ai)$/, 'together'],
];

/** The slug of a provider; null if the host shows none. */
export function sellerOfHost(host: string | null): string | null {
  const name = host?.toLowerCase() ?? '';
  return HOSTS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
