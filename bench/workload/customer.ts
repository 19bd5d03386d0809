/** The simulated customer of the benchmarks: its end users, agents, models and dimensions, and how often each occurs. */
import { zipfShares } from './zipf.ts';

const END_USERS = 20_000;
const AGENTS = 400;
const MODELS = 30;

export const END_USER_PREFIX = 'customer-';
export const AGENT_PREFIX = 'agent-';

export const END_USER_SHARES = zipfShares(END_USERS, 1.05);
export const AGENT_SHARES = zipfShares(AGENTS, 1.1);

/** A model on a rate card of the organization. Rates are USD per million tokens. */
export interface Model {
  readonly name: string;
  readonly provider: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
}

const PROVIDERS = ['openai', 'anthropic', 'google'] as const;

/** Names of two digits, so that none is the prefix of another: rate cards match prefixes. */
export const CUSTOMER_MODELS: readonly Model[] = Array.from({ length: MODELS }, (_, number) => ({
  name: `tuned-${String(number).padStart(2, '0')}`,
  provider: PROVIDERS[number % PROVIDERS.length]!,
  input: (number + 1) / 4,
  output: number + 1,
  cacheRead: (number + 1) / 40,
}));

/** The registered dimensions, with the number of their values. */
export const DIMENSIONS = { team: 12, tier: 5, region: 4 } as const;
/** Not registered. `request_id` has a new value for each event. */
export const RELEASES = 20;

export const FEATURES = 12;
export const SESSION_SHARE = 0.2;
/** Consecutive events with the same session. A fifth of them have one, so a session has ten events on average. */
export const NUMBERS_PER_SESSION = 50;
export const EXPERIMENT_SHARE = 0.05;
export const CACHED_SHARE = 0.4;

/** `live`: all events lie in the last minute. `history`: a third lie in the last day, the others in the 87 days before. */
export const SHAPES = ['live', 'history'] as const;
export type Shape = (typeof SHAPES)[number];

export const HISTORY_DAYS = 88;
export const LAST_DAY_SHARE = 1 / 3;
