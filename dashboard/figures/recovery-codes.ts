/** Ten new recovery codes, shown once. */
import { html, type Html } from '../shell/html.ts';

/** `lead`: describes the action just completed. */
export function recoveryCodes(codes: readonly string[], lead: string): Html {
  return html`
<h1>Your recovery codes</h1>
<div class="panel">
  <p role="status"><strong>${lead}</strong> Keep these ten codes somewhere you can reach without your phone. Each works once. They are shown only now.</p>
  <ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
  <p><a class="button" href="/second-factor">I have saved them</a></p>
</div>`;
}
