/** `/second-factor`: two-step sign-in. Set up with a QR code rendered here; turned off with password and code. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { encode } from 'uqr';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatInstant } from '../figures/instant.ts';
import { recoveryCodes } from '../figures/recovery-codes.ts';
import { listPasskeys, type Passkey, passkeyList } from './passkeys.ts';
import { ENROLLMENT, withSession, type SignedIn, renewed } from '../http/with-session.ts';
import { csrfField, field, rawField } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import type { Dependencies } from '../http/dependencies.ts';

/** The quiet zone required by ISO/IEC 18004, in modules. */
const QR_BORDER = 4;

const STATE = graphql('query SecondFactor { secondFactor { on confirmedAt recoveryCodesLeft } }');
const START = graphql(
  'mutation StartSecondFactor($password: String!) { secondFactorStart(input: { password: $password }) { offer { secret uri } userErrors { message code } } }',
);
const CONFIRM = graphql(
  'mutation ConfirmSecondFactor($code: String!) { secondFactorConfirm(input: { code: $code }) { recoveryCodes { codes session { token expiresAt } } userErrors { message code } } }',
);
const REPLACE = graphql(
  'mutation ReplaceRecoveryCodes($code: String!) { recoveryCodesReplace(input: { code: $code }) { recoveryCodes { codes } userErrors { message code } } }',
);
const TURN_OFF = graphql(`mutation TurnOffSecondFactor($password: String!, $code: String!) {
  secondFactorTurnOff(input: { password: $password, code: $code }) { session { token expiresAt } userErrors { message code } }
}`);

const TITLE = 'Two-step sign-in';
/** The offer's URI as submitted by the form; any other text gets no QR code. */
const OFFER_URI = /^otpauth:\/\/totp\/[\x21-\x7e]{1,400}$/;

type State = DataOf<'SecondFactor'>['secondFactor'];

export function secondFactorPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error: string | null): Promise<FastifyReply> => {
    const { secondFactor } = await askGateway(gateway, STATE, {}, signedIn.principal);
    const passkeys = await listPasskeys(dependencies, signedIn);
    return sendFramed(signedIn, {
      title: TITLE,
      error,
      body: page(signedIn, secondFactor, passkeys, passkeyList(passkeys, dependencies.hasPasskeys)),
    });
  };

  pages.get(
    '/second-factor',
    withSession(dependencies, async (signedIn) => render(signedIn, null)),
  );

  pages.post(
    '/second-factor/start',
    withSession(dependencies, async (signedIn) => {
      const password = rawField(signedIn.form, 'password');
      const call = askGateway(gateway, START, { password }, signedIn.principal);
      const { value, error } = await outcomeOf(call);
      return error
        ? render(signedIn, error.message)
        : sendFramed(signedIn, { title: TITLE, body: offerBody(signedIn, value.secondFactorStart.offer!.uri) });
    }),
  );

  pages.post(
    '/second-factor/confirm',
    withSession(dependencies, async (signedIn) => {
      const call = askGateway(gateway, CONFIRM, { code: field(signedIn.form, 'code') }, signedIn.principal);
      const { value, error } = await outcomeOf(call);
      if (value) {
        const { codes, session } = value.secondFactorConfirm.recoveryCodes!;
        return sendFramed(renewed(signedIn, dependencies, session!), {
          title: 'Your recovery codes',
          body: recoveryCodes(codes, 'Two-step sign-in is on.'),
        });
      }
      const uri = field(signedIn.form, 'uri');
      return OFFER_URI.test(uri)
        ? sendFramed(signedIn, { title: TITLE, error: error.message, body: offerBody(signedIn, uri) })
        : render(signedIn, error.message);
    }),
  );

  pages.post(
    '/second-factor/recovery-codes',
    withSession(dependencies, async (signedIn) => {
      const call = askGateway(gateway, REPLACE, { code: field(signedIn.form, 'code') }, signedIn.principal);
      const { value, error } = await outcomeOf(call);
      return error
        ? render(signedIn, error.message)
        : sendFramed(signedIn, {
            title: 'Your recovery codes',
            body: recoveryCodes(
              value.recoveryCodesReplace.recoveryCodes!.codes,
              'The old recovery codes no longer work.',
            ),
          });
    }),
  );

  pages.post(
    '/second-factor/turn-off',
    withSession(dependencies, async (signedIn) => {
      const variables = { password: rawField(signedIn.form, 'password'), code: field(signedIn.form, 'code') };
      const { value, error } = await outcomeOf(askGateway(gateway, TURN_OFF, variables, signedIn.principal));
      if (error) return render(signedIn, error.message);
      renewed(signedIn, dependencies, value.secondFactorTurnOff.session!);
      return signedIn.reply.redirect('/second-factor?done=second-factor-off', 303);
    }),
  );
}

function page(signedIn: SignedIn, state: State, passkeys: readonly Passkey[], list: Html): Html {
  const isOn = state.on || passkeys.length > 0;
  return html`
<h1>${TITLE}</h1>
${signedIn.principal.grants.includes(ENROLLMENT) && html`<p class="notice" role="status">Your organization requires a second factor. Add a passkey or set up an authenticator app to continue.</p>`}
<p class="lead"><span class="badge${isOn && ' good'}">${isOn ? 'on' : 'off'}</span> ${
    isOn
      ? `${state.recoveryCodesLeft} of ten recovery codes are left.`
      : 'With two-step sign-in, signing in also requires a passkey or a code from an authenticator app.'
  }</p>
${list}
<h2>Authenticator app</h2>
${state.on ? onBody(signedIn, state) : offBody(signedIn)}
${isOn && codesForm(signedIn, state)}`;
}

function offBody({ csrf }: SignedIn): Html {
  return html`
<form method="post" action="/second-factor/start" class="panel stack wide-form">${csrfField(csrf)}
  <p>Signing in requires a six-digit code from an app on your phone.</p>
  <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
  <button>Set up</button></form>`;
}

function offerBody({ csrf }: SignedIn, uri: string): Html {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  return html`
<h1>Set up two-step sign-in</h1>
<div class="panel split">
  <div>
    <h2>1. Scan this QR code</h2>
    <p>Use any authenticator app.</p>
    ${qrCode(uri, 'QR code for your authenticator app; the same key is shown below as text')}
    <p>Or type this key into the app:</p>
    <p class="secret"><code tabindex="0" aria-label="Key for the authenticator app">${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
  </div>
  <form method="post" action="/second-factor/confirm" class="stack">
    <h2>2. Enter the code it shows</h2>
    ${csrfField(csrf)}<input type="hidden" name="uri" value="${uri}">
    <label>Six-digit code <input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="9" required></label>
    <p class="actions"><button>Turn on</button> <a href="/second-factor">Cancel</a></p>
  </form>
</div>`;
}

function onBody({ csrf }: SignedIn, { confirmedAt }: State): Html {
  return html`
<form class="panel stack wide-form" method="post" action="/second-factor/turn-off">${csrfField(csrf)}
  <p><span class="badge good">on</span>${confirmedAt !== null && html` since ${formatInstant(confirmedAt)}`}</p>
  <p>Turning it off signs out all your other devices.</p>
  <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
  <label>Six-digit code or recovery code <input class="code" name="code" autocomplete="one-time-code" maxlength="40" required></label>
  <button class="danger">Turn off</button></form>`;
}

function codesForm({ csrf }: SignedIn, { on }: State): Html {
  return html`
<h2>New recovery codes</h2>
<form class="panel stack wide-form" method="post" action="/second-factor/recovery-codes">${csrfField(csrf)}
  <p>Creates ten new codes; the old ones stop working.</p>
  <label>${on ? 'Six-digit code, or one of the old recovery codes' : 'One of the old recovery codes'} <input class="code" name="code" autocomplete="one-time-code" maxlength="40" required></label>
  <button class="secondary">Create new codes</button></form>`;
}

/**
 * A QR code rendered here, so that its content reaches no third party. Black on white in both colour schemes, for
 * cameras.
 */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QR_BORDER });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
