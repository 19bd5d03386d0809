/** Closes months of an organization's books (costs and revenue), or reopens them. */
import { graphql } from '#schema/graphql.ts';
import { text } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { ORGANIZATION } from '../flags.ts';

const CLOSE = graphql(`mutation CloseMonths($month: String!) {
  costs: costsClose(input: { through: $month }) { closing { closed_until: closedUntil } userErrors { message } }
  revenue: revenueClose(input: { through: $month }) { closing { closed_until: closedUntil } userErrors { message } }
}`);
const REOPEN = graphql(`mutation ReopenMonths($month: String!) {
  costs: costsReopen(input: { from: $month }) { closing { closed_until: closedUntil } userErrors { message } }
  revenue: revenueReopen(input: { from: $month }) { closing { closed_until: closedUntil } userErrors { message } }
}`);

export const monthClose: Command = {
  name: 'month close',
  summary: 'Closes every month through this one. Later changes are booked in the first open month.',
  flags: {
    organization: ORGANIZATION,
    through: { form: text('YYYY-MM'), required: true, about: 'the last month to close; it must have ended' },
  },
  async run(args, gateway) {
    const { costs, revenue } = await gateway.ask(CLOSE, { month: args.text('through') }, args.text('organization'));
    return { output: { costs: costs.closing, revenue: revenue.closing } };
  },
};

export const monthReopen: Command = {
  name: 'month reopen',
  summary: 'Reopens every month from this one.',
  flags: {
    organization: ORGANIZATION,
    from: { form: text('YYYY-MM'), required: true, about: 'the first month to reopen' },
  },
  async run(args, gateway) {
    const { costs, revenue } = await gateway.ask(REOPEN, { month: args.text('from') }, args.text('organization'));
    return { output: { costs: costs.closing, revenue: revenue.closing } };
  },
};
