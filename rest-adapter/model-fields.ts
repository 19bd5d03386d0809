/** Items of the two by-model breakdowns. */
import { COST_FIELDS, COST_PROPERTIES } from './cost-fields.ts';
import { array, object, text } from './json-schema.ts';

export const MODEL_ITEMS = `
  models: items {
    model_slug: modelSlug
    provider_slug: providerSlug
    ${COST_FIELDS}
  }
  total_cost: totalCost`;

export const MODELS_SCHEMA = array(
  object({
    model_slug: text('Slug of the rate card, else the model as sent.', { 'x-open-point': 'D33' }),
    provider_slug: text('The literal `unknown` when the provider cannot be resolved.'),
    ...COST_PROPERTIES,
  }),
  'Every model, costliest first; never truncated.',
);
