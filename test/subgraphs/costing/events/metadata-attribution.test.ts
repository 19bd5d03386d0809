import { describe, expect, test } from 'vitest';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { type UsageEventDraft, parseUsageEvent } from '../../../../subgraphs/costing/events/parse-usage-event.ts';

const LEAST = {
  idempotency_key: 'k',
  model: 'm',
  input_tokens: 1,
  output_tokens: 2,
  event_invoked_at: '2026-01-31T12:00:00Z',
};

const NOTHING = {
  feature: null,
  agentId: null,
  workflowId: null,
  units: null,
  cacheCreationInputTokens: null,
  cacheReadInputTokens: null,
  reasoningTokens: null,
};

function draft(fields: Record<string, unknown>): UsageEventDraft {
  const parsed = parseUsageEvent({ ...LEAST, ...fields });
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.event;
}

describe('attribution keys and token classes in metadata', () => {
  const metadata = {
    feature: 'f',
    agent_id: 'a',
    workflow_id: 'w',
    units: '2.50',
    cache_creation_input_tokens: 1,
    cache_read_input_tokens: 0,
    reasoning_tokens: 3,
  };

  test('are used if the top level does not have them, and stay in metadata', () => {
    expect(draft({ metadata, feature: null })).toMatchObject({
      feature: 'f',
      agentId: 'a',
      workflowId: 'w',
      units: '2.5',
      cacheCreationInputTokens: 1,
      cacheReadInputTokens: 0,
      reasoningTokens: 3,
      metadata,
      metadataJson: JSON.stringify(metadata),
    });
  });

  test('the top level takes precedence', () => {
    const top = { feature: 'top', agent_id: 'of the top', workflow_id: 'first', units: 0 };
    const counts = { cache_creation_input_tokens: 8, cache_read_input_tokens: 9, reasoning_tokens: 0 };
    expect(draft({ metadata, ...top, ...counts })).toMatchObject({
      feature: 'top',
      agentId: 'of the top',
      workflowId: 'first',
      units: '0',
      cacheCreationInputTokens: 8,
      cacheReadInputTokens: 9,
      reasoningTokens: 0,
    });
  });

  test('numbers and booleans are attributed as text', () => {
    const sent = parseExactJson('{"agent_id":12345678901234567890,"feature":true,"workflow_id":7}');
    expect(draft({ metadata: sent })).toMatchObject({
      agentId: '12345678901234567890',
      feature: 'true',
      workflowId: '7',
    });
  });

  test.each([
    { feature: '' },
    { agent_id: ['a'] },
    { workflow_id: { id: 1 } },
    { feature: 'x'.repeat(256) },
    { agent_id: null },
    { units: 'minutes' },
    { units: -1 },
    { units: true },
    { cache_read_input_tokens: '5' },
    { cache_read_input_tokens: -1 },
    { reasoning_tokens: 1.5 },
    { cache_creation_input_tokens: null },
  ])('a value that does not fit is kept but not attributed: %o', (sent) => {
    expect(draft({ metadata: sent })).toMatchObject({ ...NOTHING, metadata: sent, metadataJson: JSON.stringify(sent) });
  });
});
