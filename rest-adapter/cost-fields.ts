/** Cost and token fields shared by all cost breakdowns: the part of the document, and an example. */

export const COST_FIELDS = `
  total_cost: totalCost
  input_tokens: inputTokens
  output_tokens: outputTokens
  cache_creation_input_tokens: cacheCreationInputTokens
  cache_read_input_tokens: cacheReadInputTokens
  reasoning_tokens: reasoningTokens
  input_cost: inputCost
  output_cost: outputCost
  cache_creation_cost: cacheCreationCost
  cache_read_cost: cacheReadCost
  reasoning_cost: reasoningCost
  event_count: eventCount
  percent_of_total: percentOfTotal`;

export const COST_EXAMPLE = {
  total_cost: '0.021',
  input_tokens: 12_000,
  output_tokens: 800,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: 10_000,
  reasoning_tokens: null,
  input_cost: '0.006',
  output_cost: '0.012',
  cache_creation_cost: null,
  cache_read_cost: '0.003',
  reasoning_cost: null,
  event_count: 1,
  percent_of_total: 100,
};
