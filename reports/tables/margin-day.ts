import { readMarginDays } from '../read-margin-days.ts';
import { defineReport } from '../report-table.ts';

/** Revenue, cost and margin by end user and day: `Window.margin`. */
export const marginDay = defineReport({
  name: 'margin_day',
  title: 'Margins by day',
  version: 1,
  scope: 'revenue:read',
  about: 'Revenue, cost and margin by end user and day. Revenue and costs without an end user have rows of their own.',
  grains: ['customer'],
  key: ['day', 'end_user', 'customer'],
  columns: {
    day: { type: 'date', about: 'The UTC day.' },
    end_user: {
      type: 'text',
      isNullable: true,
      about: 'The `user_id` of usage events; empty for costs and revenue without an end user.',
    },
    customer: {
      type: 'text',
      isNullable: true,
      about: "The payment processor's id of the customer, for revenue without an end user; otherwise empty.",
    },
    name: {
      type: 'text',
      isNullable: true,
      about: "The customer's name in the payment processor, or the external id if no name is set.",
    },
    revenue: { type: 'decimal', unit: 'USD', about: 'Revenue recognized on the day.' },
    cost: { type: 'decimal', unit: 'USD', about: 'Cost of the day.' },
    margin: { type: 'decimal', unit: 'USD', about: 'Revenue minus cost.' },
  },
  example: {
    day: '2026-03-01',
    end_user: 'customer-7',
    customer: null,
    name: 'Acme Inc.',
    revenue: '1.612903225806452',
    cost: '0.27',
    margin: '1.342903225806452',
  },
  async *rows(source) {
    for await (const days of readMarginDays(source))
      yield days.map(({ day, endUser, customer, name, revenue, cost, margin }) => ({
        day,
        end_user: endUser,
        customer,
        name,
        revenue,
        cost,
        margin,
      }));
  },
});
