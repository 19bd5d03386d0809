/** Cost and token fields that every cost breakdown shares: their place in a document and in the OpenAPI document. */
import { amount, type JsonSchema, nullable, number } from './json-schema.ts';

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

const NOT_REPORTED = 'Null when the provider did not report them.';

export const COST_PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  total_cost: amount('USD, all token classes.'),
  input_tokens: number('As sent.'),
  output_tokens: number('As sent.'),
  cache_creation_input_tokens: nullable(number(NOT_REPORTED)),
  cache_read_input_tokens: nullable(number(NOT_REPORTED)),
  reasoning_tokens: nullable(number(NOT_REPORTED)),
  input_cost: amount('USD, plain input alone.'),
  output_cost: amount('USD, plain output alone.'),
  cache_creation_cost: nullable(amount(NOT_REPORTED)),
  cache_read_cost: nullable(amount(NOT_REPORTED)),
  reasoning_cost: nullable(amount(NOT_REPORTED)),
  event_count: number('Completed events.'),
  percent_of_total: number('Share of total_cost, two decimals.'),
};
