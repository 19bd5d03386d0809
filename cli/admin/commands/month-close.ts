/** Closes months of an organization's books, or opens them again: costs and revenue. */
import { graphql } from '../../../schema/graphql.ts';
import { text } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { ORGANIZATION } from '../flags.ts';

const CLOSE = graphql(`mutation CloseMonths($month: String!) {
  costs: closeCosts(through: $month) { closed_until: closedUntil }
  revenue: closeRevenue(through: $month) { closed_until: closedUntil }
}`);
const REOPEN = graphql(`mutation ReopenMonths($month: String!) {
  costs: reopenCosts(from: $month) { closed_until: closedUntil }
  revenue: reopenRevenue(from: $month) { closed_until: closedUntil }
}`);

export const monthClose: Command = {
  name: 'month close',
  summary: 'Closes the books of all months up to one: what comes for them later is booked in the first open month.',
  flags: {
    organization: ORGANIZATION,
    through: { form: text('YYYY-MM'), required: true, about: 'the last month to close; it must have ended' },
  },
  async run(args, gateway) {
    return { output: await gateway.ask(CLOSE, { month: args.text('through') }, args.text('organization')) };
  },
};

export const monthReopen: Command = {
  name: 'month reopen',
  summary: 'Opens the books of all months from one on again.',
  flags: {
    organization: ORGANIZATION,
    from: { form: text('YYYY-MM'), required: true, about: 'the first month to open' },
  },
  async run(args, gateway) {
    return { output: await gateway.ask(REOPEN, { month: args.text('from') }, args.text('organization')) };
  },
};
