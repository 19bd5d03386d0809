/** Alert episodes in words. */
import { unitUsdText, usdText } from '#kernel/usd-text.ts';
import type { DataOf } from '#schema/graphql.ts';
import { formatPercent } from '../../figures/amount.ts';
import { html, type Html } from '../../shell/html.ts';

type Episode = NonNullable<DataOf<'AlertEpisodePage'>['alertEpisode']>;

export const CLOSED_REASONS: Readonly<Record<NonNullable<Episode['closedReason']>, string>> = {
  RECOVERED: 'back to normal',
  ACCEPTED: 'lasted so long that it is the new normal',
  NOT_APPLICABLE: 'no data left to check',
  PERIOD_ENDED: 'budget period ended',
  RULE_CHANGED: 'rule changed',
  RULE_DELETED: 'rule deleted',
};

export function episodeBadges(episode: {
  readonly severity: Episode['severity'];
  readonly acknowledgedAt: string | null;
  readonly isMuted: boolean;
  readonly isOpen: boolean;
}): Html {
  const { severity, acknowledgedAt, isMuted, isOpen } = episode;
  return html`${isOpen ? html`<span class="badge ${severity === 'CRITICAL' ? 'bad' : 'test'}">${severity === 'CRITICAL' ? 'critical' : 'warning'}</span>` : html`<span class="badge">closed</span>`}${isMuted && html` <span class="badge">muted</span>`}${acknowledgedAt !== null && html` <span class="badge good">acknowledged</span>`}`;
}

/** A figure of the evidence, rounded, with its unit. */
export function formatEvidence({ value, unit }: Episode['figures'][number]): string {
  if (value === null) return 'unknown';
  switch (unit) {
    case 'usd':
      return usdText(value);
    case 'usd_per_event':
      return `${usdText(value)} per event`;
    case 'usd_per_thousand_tokens':
      return `${usdText(value)} per thousand tokens`;
    case 'usd_per_success':
      return `${unitUsdText(value)} per completed task`;
    case 'percent':
      return formatPercent(Number(value));
    case 'count':
      return value.replaceAll(/\B(?=(\d{3})+$)/g, ',');
    default:
      return `${String(Math.round(10 * Number(value)) / 10)} ${unit}`;
  }
}
