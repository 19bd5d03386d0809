/** `/books/not-understood`: what arrives and is not understood, how often, since when, and an example of each. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '../../platform/ask-gateway.ts';
import { type DataOf, graphql } from '../../schema/graphql.ts';
import { formatCount } from '../figures/amount.ts';
import { booksHeading } from '../figures/books-tabs.ts';
import { formatInstant } from '../figures/instant.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { sendFramed } from '../http/send-page.ts';
import { withSession } from '../http/with-session.ts';
import { type Content, html, type Html } from '../shell/html.ts';

const NOT_UNDERSTOOD = graphql(`query NotUnderstoodPage {
  costingHealth {
    guessedSince
    unknownFields { name meant events firstSeenAt lastSeenAt exampleEventId }
    unpriced { cause provider model reason events firstAt lastAt exampleEventId }
    guessed { provider model events firstAt lastAt exampleEventId }
  }
}`);

type Health = DataOf<'NotUnderstoodPage'>['costingHealth'];

export function notUnderstoodPage(pages: FastifyInstance, { gateway, ...others }: Dependencies): void {
  pages.get(
    '/books/not-understood',
    withSession({ gateway, ...others }, async (signedIn) => {
      const { costingHealth: health } = await askGateway(gateway, NOT_UNDERSTOOD, {}, signedIn.principal);
      const isEmpty = health.unknownFields.length + health.unpriced.length + health.guessed.length === 0;
      const body = html`
${booksHeading('Not understood', '/books/not-understood')}
<p class="lead">Every event is taken. What of it could not be understood is here: it costs nothing yet, rests on a guess, or counts for no one.</p>
${isEmpty ? html`<p class="panel empty">Everything that arrived was understood.</p>` : tables(health)}`;
      return sendFramed(signedIn, { title: 'Not understood', body });
    }),
  );
}

const CAUSES: Readonly<Record<Health['unpriced'][number]['cause'], string>> = {
  UNKNOWN_PROVIDER: 'unknown provider',
  UNKNOWN_MODEL: 'unknown model',
  UNKNOWN_CONTEXT: 'unknown context',
  OTHER_MODELS: 'work of other models',
  MISSING_RATE_OR_UNIT: 'no rate or unit',
  FAILED: 'failed',
};

function tables({ unknownFields, unpriced, guessed, guessedSince }: Health): Html {
  return html`
${table(
  'Events without a cost',
  'They are priced as soon as a rate card, an alias or a rate for their context is there.',
  ['Model', 'Why'],
  unpriced.map(({ model, provider, cause, reason, ...group }) => [
    html`${model}<br><span class="muted">${provider ?? 'no provider'}</span>`,
    html`<span class="badge bad">${CAUSES[cause]}</span> ${reason}`,
    group,
  ]),
)}
${table(
  'Costs that rest on a guess',
  html`Since ${formatInstant(guessedSince)}. The counts leave open what they contain: send the provider’s own usage object, or <code>total_tokens</code>.`,
  ['Model', 'Provider'],
  guessed.map(({ model, provider, ...group }) => [model, provider, group]),
)}
${table(
  'Fields that nothing came of',
  'Misspelt names, most often. The answer to each event names them, too.',
  ['Field', 'Probably meant'],
  unknownFields.map(({ name, meant, firstSeenAt, lastSeenAt, ...group }) => [
    name,
    meant ?? '–',
    { ...group, firstAt: firstSeenAt, lastAt: lastSeenAt },
  ]),
)}`;
}

interface Group {
  readonly events: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly exampleEventId: string | null;
}

function table(
  title: string,
  lead: Content,
  [first, second]: readonly [string, string],
  rows: readonly (readonly [Content, Content, Group])[],
): Html | false {
  if (rows.length === 0) return false;
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="muted">${lead}</p>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table>
    <thead><tr><th scope="col">${first}</th><th scope="col">${second}</th><th scope="col" class="number">Events</th><th scope="col">First</th><th scope="col">Last</th><th scope="col">One of them</th></tr></thead>
    <tbody>${rows.map(
      ([name, what, { events, firstAt, lastAt, exampleEventId }]) => html`
      <tr><th scope="row" class="name">${name}</th><td>${what}</td><td class="number">${events === 0 ? '–' : formatCount(events)}</td>
        <td>${formatInstant(firstAt)}</td><td>${formatInstant(lastAt)}</td><td class="id">${exampleEventId ?? '–'}</td></tr>`,
    )}
    </tbody>
  </table></div>
</section>`;
}
