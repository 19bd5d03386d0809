/**
 * `/books/not-understood/cached-tokens`: states whether the counts of a key, source or provider include cached tokens.
 * Shows the effect on earlier events first, then saves the statement. Also reprices those events and retracts
 * statements.
 */
import { usdText } from '#kernel/usd-text.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { DAY_SECONDS, earlier } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { isAdmin } from '../figures/account-user.ts';
import { formatCount } from '../figures/amount.ts';
import { formatInstant } from '../figures/instant.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

/** Days for which guesses are listed, previewed and repriced. */
const DAYS = 30;

const SOURCES = graphql(`query GuessedSourcesSection($days: Int!) {
  guessedSources(days: $days) { statedEvents isComplete sources { countsOf subject events openEvents lastAt } }
  cachedTokensRules { countsOf subject cachedTokens changedAt }
}`);
const KEY_NAMES = graphql('query NamesOfApiKeys { apiKeys { id name } }');
const PROPOSE = graphql(`query ProposeCachedTokens($input: CachedTokensSetInput!, $days: Int!) {
  cachedTokensProposal(input: $input, days: $days) { events costBefore costAfter isComplete }
}`);
const STATE = graphql(`mutation StateCachedTokens($input: CachedTokensSetInput!) {
  cachedTokensSet(input: $input) { userErrors { message code } }
}`);
const REPRICE = graphql(`mutation RepriceAfterStatement($start: Instant!, $end: Instant!) {
  repricingStart(input: { start: $start, end: $end }) { operation { id } userErrors { message code } }
}`);

const PAGE = '/books/not-understood';
const PATH = `${PAGE}/cached-tokens`;

type Input = VariablesOf<'StateCachedTokens'>['input'];
type Proposal = DataOf<'ProposeCachedTokens'>['cachedTokensProposal'];
type Sources = DataOf<'GuessedSourcesSection'>['guessedSources'];
type Source = Sources['sources'][number];
type Rule = DataOf<'GuessedSourcesSection'>['cachedTokensRules'][number];
type CountsOf = Source['countsOf'];

export function cachedTokensPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.post(
    `${PATH}/preview`,
    withSession(dependencies, async (signedIn) => {
      const input = inputOf(signedIn.form);
      const names = await keyNames(gateway, signedIn.principal);
      const { value, error } = await outcomeOf(askGateway(gateway, PROPOSE, { input, days: DAYS }, signedIn.principal));
      return preview(signedIn, input, names, value?.cachedTokensProposal ?? null, error);
    }),
  );

  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const input = inputOf(signedIn.form);
      await askGateway(gateway, STATE, { input }, signedIn.principal);
      return signedIn.reply.redirect(`${PAGE}?done=cached-tokens-stated`, 303);
    }),
  );

  pages.post(
    `${PATH}/remove`,
    withSession(dependencies, async (signedIn) => {
      const { countsOf, subject } = inputOf(signedIn.form);
      await askGateway(gateway, STATE, { input: { countsOf, subject, cachedTokens: null } }, signedIn.principal);
      return signedIn.reply.redirect(`${PAGE}?done=cached-tokens-removed`, 303);
    }),
  );

  pages.post(
    `${PATH}/reprice`,
    withSession(dependencies, async (signedIn) => {
      const end = now();
      const span = { start: earlier(end, DAYS * DAY_SECONDS).toISOString(), end: end.toISOString() };
      await askGateway(gateway, REPRICE, span, signedIn.principal);
      return signedIn.reply.redirect('/books?done=repricing-begun', 303);
    }),
  );
}

/** The section of `/books/not-understood` about guesses; false if nothing is open or stated. */
export async function cachedTokensSection(gateway: GatewayClient, signedIn: SignedIn): Promise<Html | false> {
  const { principal } = signedIn;
  const { guessedSources, cachedTokensRules } = await askGateway(gateway, SOURCES, { days: DAYS }, principal);
  const open = guessedSources.sources.filter(({ openEvents }) => openEvents > 0);
  if (open.length === 0 && cachedTokensRules.length === 0 && guessedSources.statedEvents === 0) return false;
  const mayState = isAdmin(principal);
  const names = mayState ? await keyNames(gateway, principal) : new Map<string, string>();
  return html`
<section class="panel stack" aria-labelledby="cached-tokens"><h2 id="cached-tokens">Do input counts include cached tokens?</h2>
  ${open.length > 0 && openSources(signedIn, open, guessedSources.isComplete, names, mayState)}
  ${cachedTokensRules.length > 0 && stated(signedIn, cachedTokensRules, names, mayState)}
  ${mayState && guessedSources.statedEvents > 0 && repricing(signedIn, guessedSources.statedEvents)}
</section>`;
}

function openSources(
  { csrf }: SignedIn,
  sources: readonly Source[],
  isComplete: boolean,
  names: ReadonlyMap<string, string>,
  mayState: boolean,
): Html {
  return html`
  <p>The token counts of these events from the last ${DAYS} days could be read either way. ${
    mayState
      ? 'Choose once, and later events are exact. A choice for a key takes precedence over one for a source, and that over one for a provider.'
      : 'Owners and admins can choose.'
  }${!isComplete && ' Only the latest events were checked.'}</p>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="cached-tokens"><table class="fold">
    <thead><tr><th scope="col">Counts of</th><th scope="col" class="number">Estimated events</th><th scope="col">Last</th>${mayState && html`<th scope="col">Cached tokens are</th>`}</tr></thead>
    <tbody>${sources.map(
      ({ countsOf, subject, openEvents, lastAt }) => html`
      <tr><th scope="row" class="name">${subjectOf(countsOf, subject, names)}</th><td class="number" data-label="Estimated events">${formatCount(openEvents)}</td><td data-label="Last">${formatInstant(lastAt)}</td>${
        mayState &&
        html`<td><form class="inline" method="post" action="${PATH}/preview">${csrfField(csrf)}${hiddenFields({ countsOf, subject })}
        <button class="secondary" name="cachedTokens" value="INCLUDED" aria-label="Included in counts of ${plainSubject(countsOf, subject, names)}">Included</button>
        <button class="secondary" name="cachedTokens" value="EXCLUDED" aria-label="Excluded from counts of ${plainSubject(countsOf, subject, names)}">Excluded</button></form></td>`
      }</tr>`,
    )}
    </tbody>
  </table></div>`;
}

function stated(
  { csrf }: SignedIn,
  rules: readonly Rule[],
  names: ReadonlyMap<string, string>,
  mayState: boolean,
): Html {
  return html`
  <h3 id="stated">Your choices</h3>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="stated"><table class="fold">
    <thead><tr><th scope="col">Counts of</th><th scope="col">Cached tokens are</th><th scope="col">Chosen</th>${mayState && html`<th scope="col"><span class="unseen">Actions</span></th>`}</tr></thead>
    <tbody>${rules.map(
      ({ countsOf, subject, cachedTokens, changedAt }) => html`
      <tr><th scope="row" class="name">${subjectOf(countsOf, subject, names)}</th><td data-label="Cached tokens are">${cachedTokens.toLowerCase()}</td><td data-label="Chosen">${formatInstant(changedAt)}</td>${
        mayState &&
        html`<td><div class="actions">
        <form method="post" action="${PATH}/preview">${csrfField(csrf)}${hiddenFields({ countsOf, subject, cachedTokens: otherChoice(cachedTokens) })}
        <button class="secondary" aria-label="Change to ${otherChoice(cachedTokens).toLowerCase()} for counts of ${plainSubject(countsOf, subject, names)}">Change to ${otherChoice(cachedTokens).toLowerCase()}</button></form>
        <form method="post" action="${PATH}/remove">${csrfField(csrf)}${hiddenFields({ countsOf, subject })}
        <button class="secondary" aria-label="Remove the choice for counts of ${plainSubject(countsOf, subject, names)}">Remove</button></form></div></td>`
      }</tr>`,
    )}
    </tbody>
  </table></div>`;
}

function otherChoice(cachedTokens: Rule['cachedTokens']): Rule['cachedTokens'] {
  return cachedTokens === 'INCLUDED' ? 'EXCLUDED' : 'INCLUDED';
}

function repricing({ csrf }: SignedIn, events: number): Html {
  return html`
  <form class="stack" method="post" action="${PATH}/reprice">${csrfField(csrf)}
    <p>${formatCount(events)} ${events === 1 ? 'event' : 'events'} of the last ${DAYS} days ${events === 1 ? 'was' : 'were'} booked before your latest choice. Repricing applies your choices to ${events === 1 ? 'it' : 'them'}. It prices every
      event of these days at current rates; the ledger shows each difference.</p>
    <button class="secondary">Reprice the last ${DAYS} days</button></form>`;
}

function preview(
  signedIn: SignedIn,
  input: Input,
  names: ReadonlyMap<string, string>,
  proposal: Proposal | null,
  error: KnownError | null,
): FastifyReply {
  const { countsOf, subject, cachedTokens } = input;
  const body = html`
<p class="crumbs"><a href="${PAGE}">Not understood</a></p>
<h1>Cached tokens are ${cachedTokens?.toLowerCase()}</h1>
<p class="lead">In input counts of ${subjectOf(countsOf, subject, names)}${
    cachedTokens === 'INCLUDED'
      ? ': cached tokens are part of the input count.'
      : ': the input count does not include cached tokens.'
  }</p>
${
  proposal !== null &&
  html`
<section class="panel stack" aria-labelledby="changes"><h2 id="changes">Preview</h2>
  <p>Later events will be exact. Booked costs do not change until you reprice them.</p>
  ${
    proposal.events === 0
      ? html`<p>No event of the last ${DAYS} days is affected.</p>`
      : html`<dl class="facts"><div><dt>Earlier events, last ${DAYS} days</dt><dd>${formatCount(proposal.events)}</dd></div>
    <div><dt>Cost before</dt><dd>${usdText(proposal.costBefore)}</dd></div><div><dt>Cost after</dt><dd>${usdText(proposal.costAfter)}</dd></div></dl>`
  }
  ${!proposal.isComplete && html`<p class="muted">Only the latest 5,000 estimated events were checked.</p>`}
  <form class="stack" method="post" action="${PATH}">${csrfField(signedIn.csrf)}${hiddenFields({ countsOf, subject, cachedTokens: cachedTokens ?? '' })}
    <div class="actions"><button>Save</button> <a href="${PAGE}">Cancel</a></div></form>
</section>`
}`;
  return sendFramed(signedIn, {
    title: 'Cached tokens',
    ...refusalOf(error),
    body,
  });
}

function inputOf(form: URLSearchParams): Input {
  const [countsOf, cachedTokens] = [field(form, 'countsOf'), field(form, 'cachedTokens')];
  if (countsOf !== 'API_KEY' && countsOf !== 'SOURCE' && countsOf !== 'PROVIDER')
    return fail('VALIDATION_ERROR', 'Choose a key, a source or a provider');
  const isStated = cachedTokens === 'INCLUDED' || cachedTokens === 'EXCLUDED';
  if (!isStated && cachedTokens !== '') return fail('VALIDATION_ERROR', 'Choose included or excluded');
  return { countsOf, subject: field(form, 'subject'), ...(isStated ? { cachedTokens } : {}) };
}

function hiddenFields(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

async function keyNames(gateway: GatewayClient, principal: Principal): Promise<ReadonlyMap<string, string>> {
  const { apiKeys } = await askGateway(gateway, KEY_NAMES, {}, principal);
  return new Map(apiKeys.map(({ id, name }) => [id, name]));
}

const KINDS: Readonly<Record<CountsOf, string>> = { API_KEY: 'API key', SOURCE: 'source', PROVIDER: 'provider' };

function plainSubject(countsOf: CountsOf, subject: string, names: ReadonlyMap<string, string>): string {
  return `the ${KINDS[countsOf]} ${countsOf === 'API_KEY' ? (names.get(subject) ?? subject) : subject}`;
}

function subjectOf(countsOf: CountsOf, subject: string, names: ReadonlyMap<string, string>): Html {
  const name = countsOf === 'API_KEY' ? (names.get(subject) ?? subject) : subject;
  return html`${name} <span class="muted">${KINDS[countsOf]}</span>`;
}
