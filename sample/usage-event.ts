/** A usage event as accepted by the API (`POST /v1/usage-events/batch`). */
import type { EndUser } from './end-users.ts';
import type { Experiment } from './experiment-of.ts';
import type { Call, Feature } from './features.ts';
import type { Random } from './seeded-random.ts';

export interface UsageEvent {
  readonly idempotency_key: string;
  readonly event_invoked_at: string;
  readonly [field: string]: unknown;
}

export interface Span {
  readonly session_id: string;
  readonly session_type: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
}

export interface Setting {
  readonly key: string;
  readonly at: Date;
  readonly feature: Feature;
  readonly call: Call;
  readonly endUser: EndUser | null;
  readonly experiment: Experiment | null;
  readonly span: Span | null;
}

export function usageEvent({ key, at, feature, call, endUser, experiment, span }: Setting, random: Random): UsageEvent {
  return {
    idempotency_key: key,
    event_invoked_at: at.toISOString(),
    provider: call.provider,
    model: call.model,
    ...tokens(call, random),
    ...(endUser ? { user_id: endUser.id } : {}),
    ...(experiment ? { experiment } : {}),
    ...(span ?? {}),
    feature: feature.name,
    ...(feature.agentId === null ? {} : { agent_id: feature.agentId }),
    ...(feature.workflowId === null ? {} : { workflow_id: feature.workflowId }),
    metadata: { team: feature.team, ...(endUser ? { plan: endUser.plan, region: endUser.region } : {}) },
  };
}

function tokens(call: Call, random: Random): Record<string, number | string> {
  if (call.costOverride) return { input_tokens: 0, output_tokens: 0, cost_override: random.pick(call.costOverride) };
  const input = random.around(call.inputTokens);
  const output = random.around(call.outputTokens);
  const part = (of: number, share: number | undefined) => Math.round(of * (share ?? 0) * (0.6 + 0.4 * random.next()));
  return {
    input_tokens: input,
    output_tokens: output,
    // Counts include cached tokens for every provider; the sent total proves it.
    total_tokens: input + output,
    ...(call.cacheRead === undefined ? {} : { cache_read_input_tokens: part(input, call.cacheRead) }),
    ...(call.cacheCreation === undefined ? {} : { cache_creation_input_tokens: part(input, call.cacheCreation) }),
    ...(call.reasoning === undefined ? {} : { reasoning_tokens: part(output, call.reasoning) }),
  };
}
