/**
 * Refinements of the graph's schema by the REST contract: allowed values of a string, UUIDs, fields that are never
 * null for an API key, and points that the contract leaves open. Keyed by the field's coordinate in the graph. A
 * refinement that applies to no response is an error.
 */
import type { JsonSchema } from '../json-schema.ts';

export type Refinement = JsonSchema & {
  /** Never null here, although the graph allows null. */
  readonly notNull?: true;
  /** May be absent. */
  readonly optional?: true;
};

const UUID = { format: 'uuid' };
const ENVIRONMENT = { enum: ['live', 'test'] };
const CATEGORY = { enum: ['profitable', 'break-even', 'unprofitable'] };
/** The graph returns counts as floats, since they may exceed 32-bit integers. */
const COUNT = { type: 'integer', format: undefined };

export const REFINEMENTS: Readonly<Record<string, Refinement>> = {
  'Caller.ok': { const: true },
  'Caller.organizationId': { ...UUID, notNull: true },
  'Caller.environment': { ...ENVIRONMENT, notNull: true },
  'Caller.keyName': { notNull: true },
  'CostSummary.changePercent': {
    description: 'Two decimals; 0 if both costs are zero, 100 if only the previous cost is zero.',
    'x-open-point': 'D27',
  },
  'ProviderCost.providerId': { 'x-open-point': 'D32' },
  'ModelCost.modelSlug': { 'x-open-point': 'D33' },
  'EndUserModelCosts.endUserId': { ...UUID, 'x-open-point': 'D51' },
  'Trend.granularity': { enum: ['daily', 'weekly', 'monthly'] },
  'TrendPoint.date': { format: 'date', 'x-open-point': 'D30' },
  'UsageSummary.userId': { ...UUID, notNull: true, 'x-open-point': 'D36' },
  'UsageEventsPage.eventList': { description: 'Newest first, then by id.' },
  'UsageEvent.eventId': UUID,
  'UsageEvent.metadata': { type: 'object', optional: true },
  'Margin.endUserList': { description: 'Every end user with cost or revenue in the range, least profitable first.' },
  'EndUserMargin.endUserId': { ...UUID, 'x-open-point': 'D44' },
  'EndUserMargin.endUserName': { 'x-open-point': 'D44' },
  'EndUserMargin.profitability': CATEGORY,
  'MarginTotal.profitability': CATEGORY,
  'MarginTotal.revenueRecordCount': COUNT,
  'MarginTotal.costRecordCount': COUNT,
  'MarginWarning.count': COUNT,
  'MarginWarning.type': { enum: ['unattributed_revenue', 'unattributed_cost', 'revenue_not_connected'] },
  'Query.rateEstimationList': { description: 'One per model priced by token, ordered by model_slug.' },
  'RateEstimate.outputCostPerMillion': { 'x-open-point': 'D37' },
  'RotatedKeyInfo.apiKeyId': UUID,
  'RotatedKeyInfo.environment': ENVIRONMENT,
  'RotatedKeyInfo.createdBy': UUID,
  'OauthToken.tokenType': { const: 'Bearer' },
  'OauthToken.expiresIn': {
    ...COUNT,
    description: 'Lifetime in seconds: 30 days for a code, 90 days for a device login.',
  },
  'DeviceLoginStart.userCode': { pattern: '^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$' },
  'DeviceLoginStart.expiresIn': COUNT,
  'DeviceLoginStart.interval': COUNT,
  'OauthClientRegistration.clientIdIssuedAt': COUNT,
  'OauthClientRegistration.tokenEndpointAuthMethod': { const: 'none' },
};
