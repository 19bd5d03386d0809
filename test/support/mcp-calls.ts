/** Every tool of MCP with arguments that fit. */
export const MCP_RANGE = { start_date: '2026-01-01', end_date: '2026-02-01' };

/** Name, arguments, and the REST path that gives the same answer. */
export const MCP_CALLS: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['ping', {}, '/ping'],
  ['get_cost_summary', { time_window: 'last-year' }, '/cost-data/summary?time_window=last-year'],
  ['get_cost_by_provider', MCP_RANGE, '/cost-data/by-provider'],
  ['get_cost_by_model', MCP_RANGE, '/cost-data/by-model'],
  ['get_cost_trend', MCP_RANGE, '/cost-data/trend'],
  ['get_end_user_cost_by_model', { externalId: 'u1', ...MCP_RANGE }, '/end-user-costs/u1/by-model'],
  ['get_cost_by_agent', MCP_RANGE, '/attribution-data/by-agent'],
  ['list_dimension_values', { dimension: 'team', ...MCP_RANGE }, '/attribution-data/dimension-values?dimension=team'],
  ['get_dimension_cost_breakdown', { dimension_key: 'team', ...MCP_RANGE }, '/dimension-data/cost-breakdown?dimension_key=team'],
  ['get_usage_summary', MCP_RANGE, '/usage/summary'],
  ['list_usage_events', { ...MCP_RANGE, limit: 5 }, '/usage/events?limit=5'],
  ['get_margin_by_end_user', MCP_RANGE, '/margin-data/by-end-user'],
  ['get_rate_estimation_table', {}, '/rate-cards/estimation-table'],
];
