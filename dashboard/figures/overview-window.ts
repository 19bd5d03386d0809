/** The windows that the overview offers, as the cost summary has them. */
import { namedWindow, toWindowEnum, type WindowEnum, type WindowName } from '../../kernel/time/named-window.ts';

export interface OverviewWindow {
  readonly name: string;
  readonly label: string;
  /** What the cost summary calls it. */
  readonly timeWindow: WindowEnum;
  readonly start: string;
  readonly end: string;
  /** What it is compared with. */
  readonly before: string;
}

interface Offer extends Pick<OverviewWindow, 'name' | 'label' | 'before'> {
  readonly window: WindowName;
}

const OFFERED = [
  { window: 'current-period', name: 'month', label: 'This month', before: 'the same days of last month' },
  { window: 'last-period', name: 'last-month', label: 'Last month', before: 'the month before' },
  { window: 'last-30-days', name: '30-days', label: '30 days', before: 'the 30 days before' },
  { window: 'last-90-days', name: '90-days', label: '90 days', before: 'the 90 days before' },
  { window: 'ytd', name: 'year', label: 'This year', before: 'last year to the same day' },
] as const satisfies readonly Offer[];

/** The window of that name, or the first where there is none. */
export function overviewWindow(name: string | null | undefined, now: Date): OverviewWindow {
  const { window, ...offered } = OFFERED.find((offer) => offer.name === name) ?? OFFERED[0];
  const { start, end } = namedWindow(window, now).window;
  return { ...offered, timeWindow: toWindowEnum(window), start: start.iso, end: end.iso };
}

export const OVERVIEW_WINDOWS: readonly Pick<OverviewWindow, 'name' | 'label'>[] = OFFERED;
