/** Who caused the cost: by model and by end user. */
import { html, type Content, type Html } from '../shell/html.ts';
import type { CostFigures, CostRow } from './overview-figures.ts';
import { showAmount, showCount, showPercent } from './amount.ts';
import { shareBar } from './share-bar.ts';

const MODELS_MAX = 8;

type Window = CostFigures['window'];

export function costTables(models: Window['costsByModel']['items'], endUsers: Window['costsByEndUser']): Html {
  const shownModels = models.slice(0, MODELS_MAX).map((row) => costRow(html`${row.modelSlug}<br><span class="muted">${row.providerSlug}</span>`, row));
  const shownEndUsers = [
    ...endUsers.items.map((row) => costRow(row.externalId, row)),
    ...(endUsers.unassigned.eventCount > 0 ? [costRow(html`<span class="muted">Without an end user</span>`, endUsers.unassigned)] : []),
  ];
  return html`
<div class="pair">
  ${costTable('By model', 'Model', shownModels, models.length > MODELS_MAX && `The costliest ${MODELS_MAX} of ${showCount(models.length)} models.`)}
  ${costTable('Top end users', 'End user', shownEndUsers, endUsers.totalEndUsers > endUsers.items.length && `The costliest ${endUsers.items.length} of ${showCount(endUsers.totalEndUsers)} end users.`)}
</div>`;
}

function costTable(title: string, what: string, rows: readonly Html[], note: Content): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
  ${rows.length === 0 ? html`<p class="muted">None in this span.</p>` : html`
  <div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table>
    <thead><tr><th scope="col">${what}</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Share</th><th scope="col" class="number">Events</th></tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`}
  ${note && html`<p class="muted">${note}</p>`}
</section>`;
}

function costRow(name: Content, { totalCost, percentOfTotal, eventCount }: CostRow): Html {
  return html`<tr><th scope="row" class="name">${name}</th><td class="number">${showAmount(totalCost)}</td><td class="number">${showPercent(percentOfTotal)}${shareBar(percentOfTotal)}</td><td class="number">${showCount(eventCount)}</td></tr>`;
}
