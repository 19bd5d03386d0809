/** Lists exchange rates, latest day first. */
import { graphql } from '#schema/graphql.ts';
import { text } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const LIST = graphql(`query FxRates($currency: String, $from: String, $until: String) {
  fxRates(currency: $currency, from: $from, until: $until, first: 1000) {
    nodes { day base quote rate source imported_at: importedAt }
  }
}`);

export const fxList: Command = {
  name: 'fx list',
  summary: 'Lists up to 1,000 imported exchange rates, latest day first.',
  flags: {
    currency: { form: text('CODE'), about: 'only this currency, such as USD' },
    from: { form: text('DAY'), about: 'from this day, YYYY-MM-DD' },
    until: { form: text('DAY'), about: 'before this day, YYYY-MM-DD' },
  },
  async run(args, gateway) {
    const [currency, from, until] = ['currency', 'from', 'until'].map((name) => args.optional(name));
    return { output: { items: (await gateway.ask(LIST, { currency, from, until })).fxRates.nodes } };
  },
};
