/** The graph's warnings about figures, with amounts formatted as on pages. */
import { html, type Html } from '../shell/html.ts';
import { formatAmount } from './amount.ts';

const EXACT = /(-?\d+(?:\.\d+)?) USD\b/g;

export function warningPanel(warnings: readonly { readonly message: string }[]): Html | false {
  return (
    warnings.length > 0 &&
    html`<section class="panel warnings" aria-labelledby="warnings"><h2 id="warnings">Needs attention</h2><ul>${warnings.map(({ message }) => html`<li>${message.replaceAll(EXACT, (_, amount: string) => formatAmount(amount))}</li>`)}</ul></section>`
  );
}
