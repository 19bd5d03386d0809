/** `books sources`: senders of usage through the usage endpoints, and the outcome of their requests. */
import { enumText } from '#kernel/enum-value.ts';
import { graphql } from '#schema/graphql.ts';
import { anyText } from '../../kit/flags.ts';
import { askGraph } from '../ask-graph.ts';
import type { Command } from '../command.ts';
import { formatSheet } from '../format-sheet.ts';
import { currentLogin } from '../read-api.ts';

const SOURCES = graphql(`query BooksSources($livemode: Boolean!) {
  telemetrySources(livemode: $livemode) {
    endpoint name version first_seen: firstSeenAt last_seen: lastSeenAt billed duplicates
    ignored { reason count } rejected { reason count } cost_booked: isCostBooked
  }
}`);

export const sources: Command = {
  name: 'sources',
  summary: 'Sources of usage (OpenTelemetry, LiteLLM, raw responses), with calls billed, ignored and rejected',
  flags: {
    test: { about: 'Sources that use test keys' },
    json: { about: 'Print the API response unchanged' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const variables = { livemode: !args.has('test') };
    const { telemetrySources } = await askGraph(currentLogin(args, dependencies), SOURCES, variables);
    if (args.has('json')) return dependencies.print(JSON.stringify(telemetrySources));
    const reasons = (counts: readonly { reason: string; count: number }[]) =>
      counts.map(({ reason, count }) => `${count} ${reason}`).join(', ');
    const sheet = {
      facts: [],
      columns: [
        { name: 'name', title: 'Source', kind: 'text' as const },
        { name: 'version', title: 'Version', kind: 'text' as const },
        { name: 'endpoint', title: 'Endpoint', kind: 'text' as const },
        { name: 'last_seen', title: 'Last seen', kind: 'text' as const },
        { name: 'billed', title: 'Billed', kind: 'count' as const },
        { name: 'duplicates', title: 'Duplicates', kind: 'count' as const },
        { name: 'ignored', title: 'Ignored', kind: 'text' as const },
        { name: 'rejected', title: 'Rejected', kind: 'text' as const },
        { name: 'costs', title: 'Costs by', kind: 'text' as const },
      ],
      rows: telemetrySources.map((source) => ({
        ...source,
        endpoint: enumText(source.endpoint),
        ignored: reasons(source.ignored),
        rejected: reasons(source.rejected),
        costs: source.cost_booked ? 'sender' : 'rate cards',
      })),
      remarks: telemetrySources.length === 0 ? ['No usage from these sources'] : [],
    };
    dependencies.print(formatSheet(sheet));
  },
};
