/** The form for an authenticator: the page's script passes it the options, and writes its response into the form. */
import { csrfField } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';

export interface PasskeyForm {
  readonly action: string;
  readonly csrf: string;
  readonly kind: 'create' | 'get';
  /** As returned by the graph. */
  readonly options: unknown;
  readonly hidden: Readonly<Record<string, string>>;
  readonly button: string;
  /** Required origin, shown to people who came from another one. */
  readonly origin: string;
}

export function passkeyForm({ action, csrf, kind, options, hidden, button, origin }: PasskeyForm): Html {
  return html`
<noscript><p class="alert">Passkeys require JavaScript, which is disabled in this browser.</p></noscript>
<p class="alert" role="alert" id="passkey-problem" hidden></p>
<form method="post" action="${action}" class="stack" data-passkey="${kind}" data-origin="${origin}" data-options="${JSON.stringify(options)}">
  ${csrfField(csrf)}${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
  <input type="hidden" name="response" value="">
  <button hidden>${button}</button>
</form>`;
}

/** The script's form value; invalid JSON counts as an empty response. */
export function passkeyResponse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}
