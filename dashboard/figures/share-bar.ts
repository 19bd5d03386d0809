/** A bar beside a number. It repeats what the number says and is silent for screen readers. */
import { html, type Html } from '../shell/html.ts';

export function shareBar(percent: number): Html {
  const width = Math.min(Math.max(percent, 0), 100);
  return html`<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect class="fill" width="${width}" height="6"/></svg>`;
}
