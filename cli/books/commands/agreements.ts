/** `books agreements`: discounts agreed with providers. */
import { graphql } from '#schema/graphql.ts';
import { anyText } from '../../kit/flags.ts';
import { askGraph } from '../ask-graph.ts';
import type { Command } from '../command.ts';
import { formatSheet } from '../format-sheet.ts';
import { currentLogin } from '../read-api.ts';

const AGREEMENTS = graphql(`query BooksAgreements {
  agreements {
    id provider name reference from until in_force: isInForce
    discounts { percent models classes from until }
  }
}`);

export const agreements: Command = {
  name: 'agreements',
  summary: 'Discounts agreed with providers',
  flags: {
    json: { about: 'Print the API response unchanged' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const { agreements: found } = await askGraph(currentLogin(args, dependencies), AGREEMENTS, {});
    if (args.has('json')) return dependencies.print(JSON.stringify(found));
    const sheet = {
      facts: [],
      columns: [
        { name: 'provider', title: 'Provider', kind: 'text' as const },
        { name: 'name', title: 'Agreement', kind: 'text' as const },
        { name: 'from', title: 'From', kind: 'text' as const },
        { name: 'until', title: 'Until', kind: 'text' as const },
        { name: 'state', title: 'In force', kind: 'text' as const },
        { name: 'percent', title: 'Percent off', kind: 'text' as const },
        { name: 'models', title: 'Models', kind: 'text' as const },
        { name: 'classes', title: 'Classes', kind: 'text' as const },
      ],
      rows: found.flatMap(({ discounts, in_force: isInForce, ...agreement }) =>
        discounts.map((discount) => ({
          ...agreement,
          from: discount.from ?? agreement.from,
          until: discount.until ?? agreement.until ?? '',
          state: isInForce ? 'yes' : 'no',
          percent: discount.percent,
          models: discount.models?.join(', ') ?? 'all',
          classes: discount.classes?.join(', ') ?? 'all',
        })),
      ),
      remarks: found.length === 0 ? ['No agreements'] : [],
    };
    dependencies.print(formatSheet(sheet));
  },
};
