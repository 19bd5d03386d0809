/** A usage event that has passed every rule of form, before it is known whether it is new, covered and priced. */

export interface UsageEventDraft {
  readonly idempotencyKey: string;
  readonly model: string;
  readonly provider: string | null;
  /** The caller's `user_id`, character for character as sent (decisions.md D51). */
  readonly endUserExternalId: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `event_invoked_at` in UTC, ISO 8601 with three or six digits of fraction; finer digits are cut off. */
  readonly eventTime: string;
  readonly eventTimeMs: number;
  /** USD, plain decimal notation, exact. */
  readonly costOverride: string | null;
  readonly experimentId: string | null;
  readonly variant: string | null;
  readonly sessionId: string | null;
  readonly sessionType: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
  readonly feature: string | null;
  readonly agentId: string | null;
  readonly workflowId: string | null;
  /** Quantity for models priced per unit, plain decimal notation, exact. */
  readonly units: string | null;
  /** Token classes: null says that nobody told us, 0 that there were none. */
  readonly cacheCreationInputTokens: number | null;
  readonly cacheReadInputTokens: number | null;
  readonly reasoningTokens: number | null;
  /** As sent; numbers that a double cannot hold are raw (`kernel/exact-json.ts`). */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The same as compact JSON, every number exact: what is stored. */
  readonly metadataJson: string | null;
}
