/** Whom to look at: the least profitable end users first. */
import { html, type Html } from '../shell/html.ts';
import type { MarginFigures } from './overview-figures.ts';
import { showAmount, showCount, showPercent } from './amount.ts';

const TONES: Readonly<Record<string, string>> = { profitable: 'good', unprofitable: 'bad' };

export function marginTable(margin: MarginFigures | null, fault: string | null): Html {
  return html`
<section class="panel" aria-labelledby="least-profitable"><h2 id="least-profitable">Least profitable end users</h2>
  ${margin === null ? html`<p class="muted">${fault ?? 'Margins cannot be computed right now.'}</p>` : table(margin)}
</section>`;
}

function table({ endUsers, endUserCount }: MarginFigures): Html {
  if (endUsers.length === 0) return html`<p class="muted">None in this span.</p>`;
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="least-profitable"><table>
  <thead><tr><th scope="col">End user</th><th scope="col" class="number">Revenue</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Margin</th><th scope="col" class="number">Of revenue</th><th scope="col">Verdict</th></tr></thead>
  <tbody>${endUsers.map(({ endUserName, cost, revenue, marginAmount, marginPercent, profitabilityCategory }) => html`
    <tr><th scope="row" class="name">${endUserName}</th><td class="number">${showAmount(revenue)}</td><td class="number">${showAmount(cost)}</td>
      <td class="number">${showAmount(marginAmount)}</td><td class="number">${marginPercent === null ? '–' : showPercent(marginPercent)}</td>
      <td><span class="badge ${TONES[profitabilityCategory] ?? ''}">${profitabilityCategory}</span></td></tr>`)}
  </tbody>
</table></div>
${endUserCount > endUsers.length && html`<p class="muted">${endUsers.length} of ${showCount(endUserCount)} end users.</p>`}`;
}
