import { type ChargeDayRow, readChargeDays } from '../read-charge-days.ts';
import { defineReport } from '../report-table.ts';

export const EXAMPLE_CHARGE: ChargeDayRow = {
  day: '2026-03-01',
  provider: 'openai',
  model: 'gpt-4o',
  context: '',
  class: 'input',
  unit: 'token',
  end_user: null,
  agent: null,
  quantity: '120000',
  list_amount: '0.3',
  contracted_amount: '0.27',
  effective_amount: '0.27',
  corrections: '0',
  events: 12,
};

/** Charges by day and class, from `Window.chargeDays`. */
export const chargeDay = defineReport({
  name: 'charge_day',
  title: 'Charges by day',
  version: 1,
  scope: 'costs:read',
  about: "Charges by day, provider, model, pricing context, class and unit, like the lines of a provider's bill.",
  grains: ['sku', 'customer', 'agent'],
  key: ['day', 'provider', 'model', 'context', 'class', 'unit', 'end_user', 'agent'],
  columns: {
    day: { type: 'date', about: 'The UTC day.' },
    provider: {
      type: 'text',
      about: "The provider's slug, or the name as sent if the catalogue does not know it.",
    },
    model: { type: 'text', about: 'Slug of the rate card that priced the charge, or the model as sent.' },
    context: {
      type: 'text',
      about: 'The pricing context, such as `tier=batch`; empty for the standard price.',
    },
    class: {
      type: 'text',
      about:
        'A token class such as `input` or `cache_read`, `units`, a fee such as `web_searches`, or `override` for a cost that the sender stated.',
    },
    unit: { type: 'text', about: '`token`, the unit of a rate card such as `page`, or the name of a fee.' },
    end_user: {
      type: 'text',
      isNullable: true,
      grain: 'customer',
      about: 'The `user_id` of usage events; empty for events without an end user.',
    },
    agent: {
      type: 'text',
      isNullable: true,
      grain: 'agent',
      about: 'The `agent_id` of usage events; empty for events without one.',
    },
    quantity: { type: 'decimal', about: 'Number of charged tokens or units.' },
    list_amount: { type: 'decimal', unit: 'USD', about: "Amount at the catalogue's prices." },
    contracted_amount: { type: 'decimal', unit: 'USD', about: "Amount at the organization's rates and discounts." },
    effective_amount: {
      type: 'decimal',
      unit: 'USD',
      about: 'Amount that counts as cost. Equal to `contracted_amount`, because prepayments are not spread over time.',
    },
    corrections: {
      type: 'decimal',
      unit: 'USD',
      about: 'The part of `effective_amount` that was booked after its event, as a correction.',
    },
    events: { type: 'integer', about: 'Number of completed events with this charge.' },
  },
  example: EXAMPLE_CHARGE,
  rows: readChargeDays,
});
