/** Realistic events, identical in every run: a dozen features and agents, a few hundred end users, five models. */
import { HOUR_MS } from '#kernel/time/duration.ts';

/** An event as sent (`docs/contract.md`, "Usage event as sent"). */
export interface SentEvent {
  readonly idempotency_key: string;
  readonly model: string;
  readonly provider: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly event_invoked_at: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly feature: string;
  readonly agent_id: string;
  readonly metadata: { readonly team: string; readonly region: string; readonly request_id: string };
}

const MODELS = [
  ['gpt-4o', 'openai'],
  ['gpt-4o-mini', 'openai'],
  ['claude-3-5-sonnet-20241022', 'anthropic'],
  ['claude-3-5-haiku-20241022', 'anthropic'],
  ['gemini-2.0-flash', 'google'],
] as const;
const FEATURES = [
  'chat',
  'search',
  'summary',
  'translate',
  'review',
  'support',
  'draft',
  'classify',
  'extract',
  'plan',
  'code',
  'voice',
];
const TEAMS = ['growth', 'core', 'labs'];
const REGIONS = ['eu-central', 'us-east', 'ap-south', 'sa-east'];
const AGENTS = 12;
const END_USERS = 500;

/** `number` determines everything but the key. `before` is the latest event time; events lie in the hour before it. */
export function usageEvent(number: number, idempotencyKey: string, before: Date): SentEvent {
  const scattered = scatter(number);
  const [model, provider] = pick(MODELS, scattered);
  return {
    idempotency_key: idempotencyKey,
    model,
    provider,
    input_tokens: 200 + (scattered % 4_000),
    output_tokens: 20 + (scattered % 900),
    cache_read_input_tokens: scattered % 200,
    event_invoked_at: new Date(before.getTime() - (scattered % HOUR_MS)).toISOString(),
    user_id: `customer-${scatter(number + 1) % END_USERS}`,
    session_id: `session-${Math.floor(number / 10)}`,
    feature: pick(FEATURES, scattered >>> 3),
    agent_id: `agent-${(scattered >>> 7) % AGENTS}`,
    metadata: {
      team: pick(TEAMS, scattered >>> 5),
      region: pick(REGIONS, scattered >>> 9),
      request_id: `req-${number}`,
    },
  };
}

function pick<T>(from: readonly T[], number: number): T {
  const picked = from[number % from.length];
  if (picked === undefined) throw new Error('There is nothing to pick from');
  return picked;
}

/** Knuth's multiplicative hash: neighbours land far apart, identically in every run. */
function scatter(number: number): number {
  return Math.imul(number + 1, 2_654_435_761) >>> 0;
}
