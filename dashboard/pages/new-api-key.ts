/** `/api-keys/new`: settings of a new key; then the key, shown once. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { secretBox } from '../figures/api-key.ts';
import { dateField } from '../figures/window-choice.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { withSession, type SignedIn } from '../http/with-session.ts';
import { CSRF_FIELD, csrfField, field, queryOf } from '../http/form.ts';
import { html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { signInAgain } from '../http/sign-in-again.ts';
import type { Dependencies } from '../http/dependencies.ts';

const PERMISSIONS = graphql(
  'query Permissions { permissionsManifest { scopes { name grants } presets { id name scopes } } }',
);

const CREATE = graphql(`mutation CreateApiKey($input: ApiKeyCreateInput!) {
  apiKeyCreate(input: $input) { createdApiKey { secret apiKey { id name environment } } userErrors { message code } }
}`);

type Permissions = DataOf<'Permissions'>['permissionsManifest'];

const PATH = '/api-keys/new';

/** Custom choice next to the presets: the boxes ticked below. */
const CHOSEN = 'chosen';

export function newApiKeyPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;
  const renderForm = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { permissionsManifest } = await askGateway(gateway, PERMISSIONS, {}, signedIn.principal);
    const body = html`${signInAgain(error, `${PATH}?${typed(signedIn.form)}`)}${formBody(signedIn, permissionsManifest)}`;
    return sendFramed(signedIn, {
      title: 'Create an API key',
      ...refusalOf(error),
      body,
    });
  };

  // After a sign-in, the form is shown again as filled in.
  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => renderForm({ ...signedIn, form: queryOf(signedIn.request) })),
  );

  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const call = askGateway(gateway, CREATE, { input: params(signedIn.form) }, signedIn.principal);
      const { value, error } = await outcomeOf(call);
      if (error) return renderForm(signedIn, error);
      const { secret, apiKey } = value.apiKeyCreate.createdApiKey!;
      const body = html`
<h1>Your new key</h1>
<div class="panel">
  <p><strong>${apiKey.name}</strong> is ready. ${
    apiKey.environment === 'LIVE'
      ? 'Copy the key now: it is shown only once.'
      : 'This is a test key: you can see it again on its page within ten minutes of signing in.'
  }</p>
  ${secretBox(secret, 'API key')}
  <p><a class="button" href="/api-keys">I have copied it</a></p>
</div>`;
      return sendFramed(signedIn, { title: 'Your new key', body });
    }),
  );
}

/** The filled-in form, as a query. */
function typed(form: URLSearchParams): string {
  return new URLSearchParams([...form].filter(([name]) => name !== CSRF_FIELD)).toString();
}

/** Input of the mutation. Days are UTC; a key is valid until the end of its last day. */
function params(form: URLSearchParams): VariablesOf<'CreateApiKey'>['input'] {
  const preset = field(form, 'preset');
  const description = field(form, 'description');
  const lastDay = field(form, 'expires_on');
  return {
    name: field(form, 'name'),
    environment: field(form, 'environment'),
    ...(preset === CHOSEN ? { scopes: form.getAll('scopes') } : { preset }),
    ...(description === '' ? {} : { description }),
    ...(lastDay === '' ? {} : { expiresAt: `${lastDay}T23:59:59Z` }),
  };
}

function formBody({ csrf, form }: SignedIn, { scopes, presets }: Permissions) {
  const preset = field(form, 'preset') || presets[0]?.id;
  const environment = field(form, 'environment') || 'live';
  const ticked = form.getAll('scopes');
  const checked = (is: boolean) => is && html` checked`;
  return html`
<h1>Create an API key</h1>
<form method="post" action="${PATH}" class="panel stack wide-form">
  ${csrfField(csrf)}
  <label>Name <input name="name" value="${field(form, 'name')}" maxlength="100" required autocomplete="off"></label>
  <label>Description <span class="hint">optional</span>
    <input name="description" value="${field(form, 'description')}" maxlength="200" autocomplete="off"></label>
  <fieldset><legend>Permissions</legend>
    ${presets.map(
      ({ id, name, scopes: own }) => html`
    <label class="choice"><input type="radio" name="preset" value="${id}" required${checked(preset === id)}>
      <span><strong>${name}</strong><br><span class="muted">${own.join(', ')}</span></span></label>`,
    )}
    <label class="choice"><input type="radio" name="preset" value="${CHOSEN}" required${checked(preset === CHOSEN)}>
      <span><strong>Chosen scopes</strong><br><span class="muted">choose individually</span></span></label>
  </fieldset>
  <fieldset class="chosen-scopes"><legend>Scopes</legend>
    ${scopes.map(
      ({ name, grants }) => html`
    <label class="choice"><input type="checkbox" name="scopes" value="${name}"${checked(ticked.includes(name))}>
      <span><code>${name}</code><br><span class="muted">${grants}</span></span></label>`,
    )}
  </fieldset>
  <fieldset><legend>Environment</legend>
    <label class="choice"><input type="radio" name="environment" value="live" required${checked(environment === 'live')}>
      <span><strong>Live</strong><br><span class="muted">Counts in reports. Shown once.</span></span></label>
    <label class="choice"><input type="radio" name="environment" value="test" required${checked(environment === 'test')}>
      <span><strong>Test</strong><br><span class="muted">Not counted in reports.</span></span></label>
  </fieldset>
  ${dateField('expires_on', html`Last day <span class="hint">optional, UTC; empty: the key does not expire</span>`, field(form, 'expires_on'))}
  <p class="actions"><button>Create the key</button> <a href="/api-keys">Cancel</a></p>
</form>`;
}
