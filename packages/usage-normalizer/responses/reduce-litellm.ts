/**
 * Reduces a LiteLLM record to what is passed on: names, counts, costs and how the call was served. Prompts and
 * responses are dropped.
 */
import { countBilledTools } from '../counts/count-billed-tools.ts';
import { isObject, objectOf } from '#kernel/json/json-object.ts';
import { picked } from './picked-fields.ts';

const FIELDS = new Set(
  (
    'id call_type cache_hit status custom_llm_provider response_cost prompt_tokens completion_tokens total_tokens startTime ' +
    'model model_group api_base end_user trace_id session_id'
  ).split(' '),
);
/** Objects of the record, with the fields taken from each. */
const INNER_FIELDS = {
  metadata: 'usage_object user_api_key_end_user_id user_api_key_user_id user_api_key_team_id user_api_key_team_alias',
  model_parameters:
    'service_tier serviceTier performanceConfig speed inference_geo vertex_location vertex_ai_location aws_region_name n',
  hidden_params: 'batch_models vertex_location response_cost usage_object',
  cost_breakdown: 'tool_usage_cost total_cost',
  model_map_information: 'model_map_key',
  response: 'model service_tier serviceTier performanceConfig usage usage_info duration',
} as const;
const INNER_SETS = Object.entries(INNER_FIELDS).map(([name, fields]) => [name, new Set(fields.split(' '))] as const);

/** Metadata of the caller's request; only the hold of a spend decision is taken from it. */
const REQUESTER_FIELDS = new Set(['hold_id']);

export function reduceLitellm(item: unknown): unknown {
  if (!isObject(item)) return item;
  const inner = Object.fromEntries(INNER_SETS.map(([name, names]) => [name, picked(item[name], names)]));
  const response = { ...inner['response'], billed_tools: countBilledTools(item['response']) };
  const requester = picked(objectOf(item['metadata'])['requester_metadata'], REQUESTER_FIELDS);
  const metadata = { ...inner['metadata'], requester_metadata: requester };
  return { ...picked(item, FIELDS), ...inner, metadata, response };
}
