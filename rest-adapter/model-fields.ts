/** Items of the two by-model breakdowns. */
import { COST_EXAMPLE, COST_FIELDS } from './cost-fields.ts';

export const MODEL_ITEMS = `
  models: items {
    model_slug: modelSlug
    provider_slug: providerSlug
    ${COST_FIELDS}
  }
  total_cost: totalCost`;

export const MODELS_EXAMPLE = {
  models: [{ model_slug: 'claude-sonnet-4-5', provider_slug: 'anthropic', ...COST_EXAMPLE }],
  total_cost: '0.021',
};
