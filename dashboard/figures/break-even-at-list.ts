/** The used percentage from which a capacity pays off at list prices, if it is another than at contracted prices. */
import { html, type Html } from '../shell/html.ts';
import { formatPercent } from './amount.ts';

export function breakEvenAtList(contracted: number | null, list: number | null): Html | false {
  return (
    list !== null && list !== contracted && html`<br><span class="muted">${formatPercent(list)} at list prices</span>`
  );
}
