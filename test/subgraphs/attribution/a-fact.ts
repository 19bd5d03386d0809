/** An ordinary fact; a test sets what matters to it. */
import { randomUUID } from 'node:crypto';
import type { CostFact } from '#schema/priced-feed.ts';

export function aFact(input: Partial<CostFact> = {}): CostFact {
  return {
    eventId: randomUUID(),
    sequence: 0,
    eventTime: '2026-03-10T10:30:00.000Z',
    endUserExternalId: null,
    modelSlug: 'gpt-5',
    providerId: 'openai',
    providerSlug: 'openai',
    providerName: 'OpenAI',
    providerReported: true,
    inputTokens: 100,
    outputTokens: 10,
    cacheCreationInputTokens: null,
    cacheReadInputTokens: null,
    reasoningTokens: null,
    totalCost: '0.5',
    inputCost: '0.3',
    outputCost: '0.2',
    cacheCreationCost: null,
    cacheReadCost: null,
    reasoningCost: null,
    charges: [['input', String(input.inputTokens ?? 100), input.totalCost ?? '0.5']],
    dimensions: {},
    sessionId: null,
    spanId: null,
    parentSpanId: null,
    ...input,
  };
}
