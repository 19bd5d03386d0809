/** The form that an authenticator fills in: the page's script hands it the options, and its answer to the form. */
import { csrfField } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';

export interface PasskeyForm {
  readonly action: string;
  readonly csrf: string;
  readonly kind: 'create' | 'get';
  /** As the graph gave them. */
  readonly options: unknown;
  readonly hidden: Readonly<Record<string, string>>;
  readonly button: string;
  /** Where people must come from, for anyone who did not. */
  readonly origin: string;
}

export function passkeyForm({ action, csrf, kind, options, hidden, button, origin }: PasskeyForm): Html {
  return html`
<noscript><p class="alert">Passkeys need script, which this browser does not run.</p></noscript>
<p class="alert" role="alert" id="passkey-problem" hidden></p>
<form method="post" action="${action}" class="stack" data-passkey="${kind}" data-origin="${origin}" data-options="${JSON.stringify(options)}">
  ${csrfField(csrf)}${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
  <input type="hidden" name="response" value="">
  <button hidden>${button}</button>
</form>`;
}

/** What the script put into the form; what is no JSON is no answer of an authenticator. */
export function passkeyResponse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}
