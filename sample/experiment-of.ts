/** The experiment in the chat: in the last third of the 90 days, half of the end users get another model. */
import type { EndUser } from './end-users.ts';
import type { Call, Feature } from './features.ts';
import { seededRandom } from './seeded-random.ts';

export interface Experiment {
  readonly experiment_id: string;
  readonly variant: string;
}

const FIRST_DAY = 60;

/** An end user keeps its variant. Returns `null` outside the experiment. */
export function experimentOf(feature: Feature, endUser: EndUser | null, day: number): Experiment | null {
  if (feature.name !== 'chat' || endUser === null || day < FIRST_DAY) return null;
  return { experiment_id: 'chat-model', variant: seededRandom(endUser.id).next() < 0.5 ? 'control' : 'haiku' };
}

export function callOfVariant(feature: Feature, experiment: Experiment | null): Call | null {
  return experiment?.variant === 'haiku' ? (feature.calls[1] ?? null) : null;
}
