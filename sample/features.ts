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

const SONNET = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const HAIKU = { provider: 'anthropic', model: 'claude-haiku-4-5' };

/** Half of the end users get the second of the chat's calls: see `experiment-of.ts`. */
export const features: readonly Feature[] = [
  {
    name: 'chat',
    team: 'support',
    agentId: 'support-agent',
    workflowId: null,
    weight: 38,
    hasEndUser: true,
    shape: 'conversation',
    calls: [
      { provider: 'openai', model: 'gpt-4o-mini', weight: 1, inputTokens: 1_900, outputTokens: 260, cacheRead: 0.4 },
      { ...HAIKU, weight: 0, inputTokens: 2_100, outputTokens: 310, cacheRead: 0.35, cacheCreation: 0.1 },
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
        model: 'gemini-2.5-flash',
        weight: 1,
        inputTokens: 3_400,
        outputTokens: 420,
        reasoning: 0.3,
      },
    ],
  },
  {
    name: 'code-review',
    team: 'engineering',
    agentId: 'review-agent',
    workflowId: 'pull-request',
    weight: 9,
    hasEndUser: true,
    shape: 'call',
    calls: [
      { ...SONNET, weight: 4, inputTokens: 14_000, outputTokens: 1_100, cacheRead: 0.6, cacheCreation: 0.15 },
      { provider: 'openai', model: 'gpt-5', weight: 1, inputTokens: 9_000, outputTokens: 2_400, reasoning: 0.6 },
    ],
  },
  {
    name: 'research',
    team: 'research',
    agentId: 'research-agent',
    workflowId: 'deep-report',
    weight: 7,
    hasEndUser: true,
    shape: 'agent',
    calls: [
      { provider: 'openai', model: 'gpt-5', weight: 1, inputTokens: 2_600, outputTokens: 1_500, reasoning: 0.7 },
      { provider: 'google', model: 'gemini-2.5-flash', weight: 3, inputTokens: 8_000, outputTokens: 500 },
      { ...SONNET, weight: 1, inputTokens: 22_000, outputTokens: 2_200, cacheRead: 0.5, cacheCreation: 0.2 },
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
      { provider: 'mistral', model: 'mistral-small-latest', weight: 3, inputTokens: 5_200, outputTokens: 380 },
      { provider: 'openai', model: 'gpt-4.1-nano', weight: 2, inputTokens: 4_800, outputTokens: 350, cacheRead: 0.2 },
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
    calls: [{ ...UNPRICED_MODEL, weight: 1, inputTokens: 700, outputTokens: 30 }],
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
        provider: 'deepgram',
        model: 'nova-3',
        weight: 1,
        inputTokens: 0,
        outputTokens: 0,
        costOverride: ['0.0043', '0.0086', '0.0129', '0.0215', '0.0387'],
      },
    ],
  },
];
