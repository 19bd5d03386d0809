import { readMarginDays } from '../read-margin-days.ts';
import { defineReport } from '../report-table.ts';

/** Recognized revenue by customer and day: the revenue of `Window.margin`. */
export const revenueDay = defineReport({
  name: 'revenue_day',
  title: 'Revenue by day',
  version: 1,
  scope: 'revenue:read',
  about: 'Recognized revenue by customer and day.',
  grains: ['customer'],
  key: ['day', 'end_user', 'customer', 'currency'],
  columns: {
    day: { type: 'date', about: 'The UTC day.' },
    end_user: {
      type: 'text',
      isNullable: true,
      about: 'The `user_id` of usage events; empty for revenue without an end user.',
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
    currency: {
      type: 'text',
      about: 'Currency of the amount. Only revenue in `USD` is recognized.',
    },
    recognized: { type: 'decimal', about: 'Revenue recognized on the day, in `currency`.' },
  },
  example: {
    day: '2026-03-01',
    end_user: 'customer-7',
    customer: null,
    name: 'Acme Inc.',
    currency: 'USD',
    recognized: '1.612903225806452',
  },
  async *rows(source) {
    for await (const days of readMarginDays(source))
      yield days
        .filter(({ revenue }) => revenue !== '0')
        .map(({ day, endUser, customer, name, revenue }) => ({
          day,
          end_user: endUser,
          customer,
          name,
          currency: 'USD',
          recognized: revenue,
        }));
  },
});
