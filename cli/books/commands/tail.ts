/** `books tail`: events as they arrive, with their costs. */
import { enumText } from '#kernel/enum-value.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { anyText } from '../../kit/flags.ts';
import { askGraph } from '../ask-graph.ts';
import type { Command } from '../command.ts';
import { formatValue } from '../format-value.ts';
import { currentLogin } from '../read-api.ts';

const RECEIVED = graphql(`query BooksTail($livemode: Boolean!, $first: Int!) {
  receivedEvents(livemode: $livemode, first: $first) {
    nodes { id idempotencyKey model provider endUserExternalId inputTokens outputTokens receivedAt status totalCost reading reason }
  }
}`);

type ReceivedEvent = DataOf<'BooksTail'>['receivedEvents']['nodes'][number];

const PAUSE_SECONDS = 2;
const FIRST_EVENTS = 10;
const EVENTS_MAX = 200;
/** An event still unpriced after this many polls is shown as it is. */
const LOOKS_MAX = 5;
const REMEMBERED_MAX = 10 * EVENTS_MAX;

export const tail: Command = {
  name: 'tail',
  summary: 'Shows events as they arrive, with cost and reading, until stopped',
  flags: {
    test: { about: 'Events of test keys, which are not counted' },
    once: { about: 'Show the latest events and exit' },
    json: { about: 'One JSON object per line' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const login = currentLogin(args, dependencies);
    const shown = new Set<string>();
    const looks = new Map<string, number>();
    const print = (event: ReceivedEvent) => {
      shown.add(event.id);
      looks.delete(event.id);
      dependencies.print(args.has('json') ? JSON.stringify(event) : describe(event));
    };
    let isFirst = true;
    for (;;) {
      const variables = { livemode: !args.has('test'), first: isFirst ? FIRST_EVENTS : EVENTS_MAX };
      const { receivedEvents } = await askGraph(login, RECEIVED, variables);
      for (const event of [...receivedEvents.nodes].reverse()) {
        if (shown.has(event.id)) continue;
        const look = (looks.get(event.id) ?? 0) + 1;
        // Pricing takes a moment: an unpriced event is polled again.
        if (event.status === 'PENDING' && look < LOOKS_MAX && !args.has('once')) looks.set(event.id, look);
        else print(event);
      }
      for (const id of [...shown].slice(0, Math.max(shown.size - REMEMBERED_MAX, 0))) shown.delete(id);
      if (args.has('once')) return;
      isFirst = false;
      await dependencies.wait(PAUSE_SECONDS);
    }
  },
};

function describe(event: ReceivedEvent): string {
  const cost = event.totalCost === null ? enumText(event.status) : `${event.totalCost} USD`;
  const parts = [
    event.receivedAt,
    event.idempotencyKey,
    `${event.provider ?? '–'}/${event.model}`,
    `${event.inputTokens} in, ${event.outputTokens} out`,
    cost,
    event.reading ?? event.reason ?? '–',
    event.endUserExternalId ?? '',
  ];
  return parts
    .map((part) => formatValue(part, 'text'))
    .join('  ')
    .trimEnd();
}
