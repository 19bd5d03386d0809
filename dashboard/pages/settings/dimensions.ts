/** `/settings/dimensions`: metadata keys that costs are broken down by, and unregistered keys found in events. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatDate } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';

const DIMENSIONS = graphql(`query DimensionsPage {
  dimensions { key label state registeredAt }
  unregisteredKeys { key events distinctValues exampleValue }
  costPairs { keys state }
}`);
const REGISTER = graphql(`mutation RegisterDimensionOnPage($key: String!, $label: String) {
  outcome: dimensionRegister(input: { key: $key, label: $label }) { userErrors { message code } }
}`);
const RENAME = graphql(`mutation RenameDimensionOnPage($key: String!, $label: String!) {
  outcome: dimensionRename(input: { key: $key, label: $label }) { userErrors { message code } }
}`);
const RETIRE = graphql(`mutation RetireDimensionOnPage($key: String!) {
  outcome: dimensionRetire(input: { key: $key }) { userErrors { message code } }
}`);
const PAIR = graphql(`mutation RegisterPairOnPage($keys: [String!]!) {
  outcome: costPairRegister(input: { keys: $keys }) { userErrors { message code } }
}`);
const UNPAIR = graphql(`mutation RetirePairOnPage($keys: [String!]!) {
  outcome: costPairRetire(input: { keys: $keys }) { userErrors { message code } }
}`);

const PATH = '/settings/dimensions';
/** Keys that every organization has. */
const BUILT_IN = ['agent_id', 'feature', 'workflow_id', 'experiment_id', 'variant', 'session_type', 'model'];
/** A key with more values than this in a few thousand events identifies single things, and is too varied to roll up. */
const VALUES_MANY = 1_000;

type Figures = DataOf<'DimensionsPage'>;
type Changed = Promise<object>;

export function dimensionsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const figures = await askGateway(gateway, DIMENSIONS, {}, signedIn.principal);
    const body = html`
<h1>Dimensions</h1>
<p class="lead">Metadata keys used for cost breakdowns, such as team, plan or environment. Agents, features, workflows, experiments, variants and session types are always available.</p>
${registered(signedIn, figures)}
${unregistered(signedIn, figures)}
${pairs(signedIn, figures)}`;
    return sendFramed(signedIn, {
      title: 'Dimensions',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  const act = (path: string, done: string, send: (signedIn: SignedIn) => Changed) =>
    pages.post(
      `${PATH}/${path}`,
      withSession(dependencies, async (signedIn) => {
        const { error } = await outcomeOf(send(signedIn));
        return error ? render(signedIn, error) : signedIn.reply.redirect(`${PATH}?done=${done}`, 303);
      }),
    );

  act('register', 'dimension-registered', ({ form, principal }) => {
    const label = field(form, 'label');
    const variables = { key: field(form, 'key'), ...(label === '' ? {} : { label }) };
    return askGateway(gateway, REGISTER, variables, principal);
  });
  act('rename', 'dimension-renamed', ({ form, principal }) =>
    askGateway(gateway, RENAME, { key: field(form, 'key'), label: field(form, 'label') }, principal),
  );
  act('retire', 'dimension-retired', ({ form, principal }) =>
    askGateway(gateway, RETIRE, { key: field(form, 'key') }, principal),
  );
  act('pair', 'pair-registered', ({ form, principal }) =>
    askGateway(gateway, PAIR, { keys: [field(form, 'one'), field(form, 'other')] }, principal),
  );
  act('unpair', 'pair-retired', ({ form, principal }) =>
    askGateway(gateway, UNPAIR, { keys: [field(form, 'one'), field(form, 'other')] }, principal),
  );
}

const STATES: Readonly<Record<string, { text: string; kind: string }>> = {
  READY: { text: 'ready', kind: ' good' },
  BACKFILLING: { text: 'adding older events', kind: '' },
  UNBOUNDED: { text: 'too many values', kind: ' bad' },
};

function badge(state: string): Html {
  const { text, kind } = STATES[state] ?? { text: state, kind: '' };
  return html`<span class="badge${kind}">${text}</span>`;
}

function registered({ csrf }: SignedIn, { dimensions }: Figures): Html {
  return html`
${
  dimensions.length > 0 &&
  html`<ul class="rows">${dimensions.map(
    ({ key, label, state, registeredAt }) => html`
  <li class="panel stack">
    <h2 class="name">${label} <code>${key}</code> ${badge(state)}</h2>
    <p class="muted">Since ${formatDate(registeredAt)}.${state === 'UNBOUNDED' && ' It has too many values per day for rollups; figures are exact but slower.'}</p>
    <div class="actions">
      <form class="inline" method="post" action="${PATH}/rename">${csrfField(csrf)}<input type="hidden" name="key" value="${key}">
        <label>Label <input name="label" value="${label}" maxlength="255" required></label><button class="secondary" aria-label="Rename ${key}">Rename</button></form>
      <form class="inline" method="post" action="${PATH}/retire">${csrfField(csrf)}
        <button class="secondary" name="key" value="${key}" aria-label="Retire ${key}">Retire</button></form>
    </div>
  </li>`,
  )}</ul>`
}
<form class="panel stack wide-form" method="post" action="${PATH}/register">${csrfField(csrf)}
  <h2>Register a key</h2>
  <div class="fields"><label>Metadata key <input name="key" maxlength="255" autocomplete="off" required></label>
  <label>Label <span class="muted">(empty: the key)</span> <input name="label" maxlength="255" autocomplete="off"></label></div>
  <button>Register</button></form>`;
}

function unregistered({ csrf }: SignedIn, { unregisteredKeys }: Figures): Html | false {
  return (
    unregisteredKeys.length > 0 &&
    html`
<section class="panel" aria-labelledby="seen"><h2 id="seen">Keys in your events</h2>
  <p class="muted">Found in the latest 20,000 priced events and not registered.</p>
  <form method="post" action="${PATH}/register">${csrfField(csrf)}
  <div class="scroll" tabindex="0" role="group" aria-labelledby="seen"><table class="fold">
    <thead><tr><th scope="col">Key</th><th scope="col">For example</th><th scope="col" class="number">Events</th><th scope="col" class="number">Values</th></tr></thead>
    <tbody>${unregisteredKeys.map(
      ({ key, events, distinctValues, exampleValue }) => html`
      <tr><th scope="row" class="name">${key}<br><button class="secondary" name="key" value="${key}" aria-label="Register ${key}">Register</button></th><td class="name" data-label="For example">${exampleValue}</td><td class="number" data-label="Events">${formatCount(events)}</td>
        <td class="number" data-label="Values">${formatCount(distinctValues)}${distinctValues > VALUES_MANY && html` <span class="badge">many</span>`}</td></tr>`,
    )}
    </tbody>
  </table></div></form>
</section>`
  );
}

function pairs({ csrf }: SignedIn, { costPairs, dimensions }: Figures): Html {
  const keys = [...BUILT_IN, ...dimensions.map(({ key }) => key)];
  const select = (name: string, label: string, chosen: string | undefined) => html`
    <label>${label} <select name="${name}">${keys.map((key) => html`<option${key === chosen && html` selected`}>${key}</option>`)}</select></label>`;
  return html`
<section class="panel stack" aria-labelledby="pairs"><h2 id="pairs">Pairs</h2>
  <p class="muted">Two keys that are often combined, such as feature by team. With a rollup, reports cover any period; without one, up to two million events.</p>
  ${
    costPairs.length > 0 &&
    html`<ul class="rows">${costPairs.map(
      ({ keys: [one = '', other = ''], state }) => html`
    <li class="row"><span><code>${one}</code> and <code>${other}</code> ${badge(state)}</span>
      <form method="post" action="${PATH}/unpair">${csrfField(csrf)}<input type="hidden" name="one" value="${one}"><input type="hidden" name="other" value="${other}">
        <button class="secondary" aria-label="Remove ${one} and ${other}">Remove</button></form></li>`,
    )}</ul>`
  }
  <form class="inline" method="post" action="${PATH}/pair">${csrfField(csrf)}
    ${select('one', 'First', 'feature')}${select('other', 'Second', dimensions[0]?.key ?? 'agent_id')}<button class="secondary">Add rollup</button></form>
</section>`;
}
