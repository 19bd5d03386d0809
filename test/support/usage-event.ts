/** A usage event with defaults for everything that a test does not care about. */
import { randomUUID } from 'node:crypto';

export function usageEvent(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    idempotency_key: randomUUID(),
    model: 'gpt-4o',
    provider: 'openai',
    input_tokens: 1000,
    output_tokens: 100,
    event_invoked_at: new Date().toISOString(),
    ...more,
  };
}
