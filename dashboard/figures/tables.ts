/** The tables of the overview: who caused the cost, and who earned it back. */
import { html, type Content, type Html } from '../shell/html.ts';
import type { CostFigures, CostRow, MarginFigures } from './overview-figures.ts';
import { formatAmount, formatCount, formatPercent } from './amount.ts';

const TONES: Readonly<Record<string, string>> = { profitable: 'good', unprofitable: 'bad' };

const MODELS_MAX = 8;

type Window = CostFigures['window'];

export function costTables(models: Window['costsByModel']['items'], endUsers: Window['costsByEndUser']): Html {
  const modelRows = models
    .slice(0, MODELS_MAX)
    .map((row) => costRow(html`${row.modelSlug}<br><span class="muted">${row.providerSlug}</span>`, row));
  const endUserRows = [
    ...endUsers.items.map((row) => costRow(row.externalId, row)),
    ...(endUsers.unassigned.eventCount > 0
      ? [costRow(html`<span class="muted">Without an end user</span>`, endUsers.unassigned)]
      : []),
  ];
  return html`
<div class="pair">
  ${costTable('By model', 'Model', modelRows, models.length > MODELS_MAX && `The costliest ${MODELS_MAX} of ${formatCount(models.length)} models.`)}
  ${costTable('Top end users', 'End user', endUserRows, endUsers.totalEndUsers > endUsers.items.length && `The costliest ${endUsers.items.length} of ${formatCount(endUsers.totalEndUsers)} end users.`)}
</div>`;
}

function costTable(title: string, what: string, rows: readonly Html[], note: Content): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
  ${
    rows.length === 0
      ? html`<p class="muted">None in this window.</p>`
      : html`
  <div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table>
    <thead><tr><th scope="col">${what}</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Share</th><th scope="col" class="number">Events</th></tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`
  }
  ${note && html`<p class="muted">${note}</p>`}
</section>`;
}

function costRow(name: Content, { totalCost, percentOfTotal, eventCount }: CostRow): Html {
  return html`<tr><th scope="row" class="name">${name}</th><td class="number">${formatAmount(totalCost)}</td><td class="number">${formatPercent(percentOfTotal)}${shareBar(percentOfTotal)}</td><td class="number">${formatCount(eventCount)}</td></tr>`;
}

/** A bar next to a number. It repeats what the number says and is silent for screen readers. */
export function shareBar(percent: number): Html {
  const width = Math.min(Math.max(percent, 0), 100);
  return html`<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect class="fill" width="${width}" height="6"/></svg>`;
}

/** Whom to look at: the least profitable end users first. */
export function marginTable(margin: MarginFigures | null, error: string | null): Html {
  return html`
<section class="panel" aria-labelledby="least-profitable"><h2 id="least-profitable">Least profitable end users</h2>
  ${margin === null ? html`<p class="muted">${error ?? 'Margins cannot be computed right now.'}</p>` : table(margin)}
</section>`;
}

function table({ endUsers, endUserCount }: MarginFigures): Html {
  if (endUsers.length === 0) return html`<p class="muted">None in this window.</p>`;
  return html`
<div class="scroll" tabindex="0" role="group" aria-labelledby="least-profitable"><table>
  <thead><tr><th scope="col">End user</th><th scope="col" class="number">Revenue</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Margin</th><th scope="col" class="number">Of revenue</th><th scope="col">Verdict</th></tr></thead>
  <tbody>${endUsers.map(
    ({ endUserName, cost, revenue, marginAmount, marginPercent, profitabilityCategory }) => html`
    <tr><th scope="row" class="name">${endUserName}</th><td class="number">${formatAmount(revenue)}</td><td class="number">${formatAmount(cost)}</td>
      <td class="number">${formatAmount(marginAmount)}</td><td class="number">${marginPercent === null ? '–' : formatPercent(marginPercent)}</td>
      <td><span class="badge ${TONES[profitabilityCategory] ?? ''}">${profitabilityCategory}</span></td></tr>`,
  )}
  </tbody>
</table></div>
${endUserCount > endUsers.length && html`<p class="muted">${endUsers.length} of ${formatCount(endUserCount)} end users.</p>`}`;
}

/** A figure at the top of a page. */
export function headline(name: string, figure: Content, note: Content): Html {
  return html`<div class="panel headline"><h2>${name}</h2><p class="figure">${figure}</p><p class="muted">${note}</p></div>`;
}
