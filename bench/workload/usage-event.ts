/** The usage events of the customer, identical in every run except for their keys and times. */
import { DAY_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import {
  AGENT_PREFIX,
  AGENT_SHARES,
  CACHED_SHARE,
  CUSTOMER_MODELS,
  DIMENSIONS,
  END_USER_PREFIX,
  END_USER_SHARES,
  EXPERIMENT_SHARE,
  FEATURES,
  HISTORY_DAYS,
  LAST_DAY_SHARE,
  NUMBERS_PER_SESSION,
  RELEASES,
  SESSION_SHARE,
  type Shape,
} from './customer.ts';
import { rankAt } from './zipf.ts';

/** An event as sent (`docs/contract.md`, "Usage event as sent"). */
export interface SentEvent {
  readonly idempotency_key: string;
  readonly model: string;
  readonly provider: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number;
  readonly event_invoked_at: string;
  readonly user_id: string;
  readonly session_id?: string;
  readonly experiment?: { readonly experiment_id: string; readonly variant: string };
  readonly feature: string;
  readonly agent_id: string;
  readonly metadata: Readonly<Record<'team' | 'tier' | 'region' | 'release' | 'request_id', string>>;
}

/** `number` determines everything but the key. `before` is the end of the time that the events are spread over. */
export function usageEvent(number: number, idempotencyKey: string, before: Date, shape: Shape = 'live'): SentEvent {
  const point = pointsOf(number);
  const below = (count: number) => Math.floor(point() * count);
  const model = CUSTOMER_MODELS[below(CUSTOMER_MODELS.length)]!;
  const endUser = rankAt(END_USER_SHARES, point());
  const agent = rankAt(AGENT_SHARES, point());
  const age = shape === 'live' ? point() * MINUTE_MS : ageInHistory(point());
  const [inSession, inExperiment, isCached] = [point(), point(), point()];
  return {
    idempotency_key: idempotencyKey,
    model: model.name,
    provider: model.provider,
    input_tokens: 200 + below(4_000),
    output_tokens: 20 + below(900),
    ...(isCached < CACHED_SHARE ? { cache_read_input_tokens: 1 + below(200) } : {}),
    event_invoked_at: new Date(before.getTime() - age).toISOString(),
    user_id: `${END_USER_PREFIX}${endUser}`,
    ...(inSession < SESSION_SHARE ? { session_id: `session-${Math.floor(number / NUMBERS_PER_SESSION)}` } : {}),
    ...(inExperiment < EXPERIMENT_SHARE
      ? { experiment: { experiment_id: 'shorter-prompts', variant: number % 2 === 0 ? 'a' : 'b' } }
      : {}),
    feature: `feature-${below(FEATURES)}`,
    agent_id: `${AGENT_PREFIX}${agent}`,
    metadata: {
      team: `team-${below(DIMENSIONS.team)}`,
      tier: `tier-${below(DIMENSIONS.tier)}`,
      region: `region-${below(DIMENSIONS.region)}`,
      release: `release-${below(RELEASES)}`,
      request_id: `request-${number}`,
    },
  };
}

/** Milliseconds before the end, for a point in [0, 1). */
function ageInHistory(point: number): number {
  if (point < LAST_DAY_SHARE) return (point / LAST_DAY_SHARE) * DAY_MS;
  return DAY_MS + ((point - LAST_DAY_SHARE) / (1 - LAST_DAY_SHARE)) * (HISTORY_DAYS - 1) * DAY_MS;
}

/** A sequence of points in [0, 1) that depends on the number alone (SplitMix with 32 bits). */
function pointsOf(number: number): () => number {
  let state = Math.imul(number, 0x85ebca6b) ^ (number >>> 13);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
