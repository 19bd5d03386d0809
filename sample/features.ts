/** Features of the imaginary product that call models, and the properties of their calls. */
export interface Call {
  readonly provider: string;
  readonly model: string;
  /** Frequency relative to the feature's other calls. */
  readonly weight: number;
  /** Medians. Input includes cached tokens, output includes reasoning. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Fraction of the input that is read from the cache, or written to it. */
  readonly cacheRead?: number;
  readonly cacheCreation?: number;
  /** Fraction of the output that is reasoning. */
  readonly reasoning?: number;
  /** Cost in USD of a call without token counts, sent as `cost_override`. */
  readonly costOverride?: readonly string[];
}

export interface Feature {
  readonly name: string;
  readonly team: string;
  readonly agentId: string | null;
  readonly workflowId: string | null;
  readonly weight: number;
  /** True if its calls are made for an end user. Otherwise the feature runs for the product itself. */
  readonly hasEndUser: boolean;
  /** Structure of its calls: a single call, a conversation of several, or the steps of an agent. */
  readonly shape: 'call' | 'conversation' | 'agent';
  readonly calls: readonly Call[];
}

export const UNPRICED_MODEL = { provider: 'northwind', model: 'northwind-triage-7b' };

const SONNET = { provider: 'anthropic', model: 'claude-sonnet-4-6' };
const HAIKU = { provider: 'anthropic', model: 'claude-haiku-4-5' };
const FABLE = { provider: 'anthropic', model: 'claude-fable-5' };
const GPT_PRO = { provider: 'openai', model: 'gpt-5.5-pro' };

/**
 * The product serves large companies: conversations carry long histories, reviews read whole repositories, and reports
 * take several passes of the most expensive models. Calls of models with a price for long contexts stay below it.
 *
 * Half of the end users get the second of the chat's calls: see `experiment-of.ts`.
 */
export const features: readonly Feature[] = [
  {
    name: 'chat',
    team: 'support',
    agentId: 'support-agent',
    workflowId: null,
    weight: 32,
    hasEndUser: true,
    shape: 'conversation',
    calls: [
      { ...SONNET, weight: 1, inputTokens: 90_000, outputTokens: 2_600, cacheRead: 0.4, cacheCreation: 0.1 },
      { ...HAIKU, weight: 0, inputTokens: 95_000, outputTokens: 3_100, cacheRead: 0.35, cacheCreation: 0.1 },
    ],
  },
  {
    name: 'search',
    team: 'growth',
    agentId: 'search-agent',
    workflowId: null,
    weight: 26,
    hasEndUser: true,
    shape: 'call',
    calls: [
      {
        provider: 'google',
        model: 'gemini-2.5-pro',
        weight: 1,
        inputTokens: 30_000,
        outputTokens: 18_000,
        reasoning: 0.3,
      },
    ],
  },
  {
    name: 'code-review',
    team: 'engineering',
    agentId: 'review-agent',
    workflowId: 'pull-request',
    weight: 11,
    hasEndUser: true,
    shape: 'call',
    calls: [
      { ...FABLE, weight: 3, inputTokens: 300_000, outputTokens: 72_000, cacheRead: 0.4, cacheCreation: 0.15 },
      { ...GPT_PRO, weight: 2, inputTokens: 30_000, outputTokens: 52_000, reasoning: 0.6 },
    ],
  },
  {
    name: 'research',
    team: 'research',
    agentId: 'research-agent',
    workflowId: 'deep-report',
    weight: 8,
    hasEndUser: true,
    shape: 'agent',
    calls: [
      { ...GPT_PRO, weight: 1, inputTokens: 30_000, outputTokens: 24_000, reasoning: 0.7 },
      { provider: 'openai', model: 'o3-deep-research', weight: 3, inputTokens: 90_000, outputTokens: 24_000 },
      { ...FABLE, weight: 1, inputTokens: 300_000, outputTokens: 80_000, cacheRead: 0.35, cacheCreation: 0.2 },
    ],
  },
  {
    name: 'nightly-digest',
    team: 'growth',
    agentId: null,
    workflowId: 'nightly-digest',
    weight: 8,
    hasEndUser: false,
    shape: 'call',
    calls: [
      { provider: 'mistral', model: 'mistral-medium-latest', weight: 3, inputTokens: 85_000, outputTokens: 11_000 },
      {
        provider: 'openai',
        model: 'gpt-5.4-mini',
        weight: 2,
        inputTokens: 160_000,
        outputTokens: 12_000,
        cacheRead: 0.2,
      },
    ],
  },
  {
    name: 'triage',
    team: 'support',
    agentId: 'triage-agent',
    workflowId: null,
    weight: 8,
    hasEndUser: true,
    shape: 'call',
    calls: [{ ...UNPRICED_MODEL, weight: 1, inputTokens: 70_000, outputTokens: 3_000 }],
  },
  {
    name: 'voice-notes',
    team: 'sales',
    agentId: null,
    workflowId: null,
    weight: 4,
    hasEndUser: true,
    shape: 'call',
    calls: [
      {
        // An archive of recordings: 5 to 45 hours at $0.0043 a minute.
        provider: 'deepgram',
        model: 'nova-3',
        weight: 1,
        inputTokens: 0,
        outputTokens: 0,
        costOverride: ['1.29', '2.58', '3.87', '6.45', '11.61'],
      },
    ],
  },
];
