/** The main cause of a cost increase: who, when and how much. Links to the costs of that time. */
import type { EndUserId } from '#kernel/ids.ts';
import { usdText } from '#kernel/usd-text.ts';
import { causeInWords } from '#kernel/cost-change-words.ts';
import { minuteOf } from '#kernel/time/instant.ts';
import { html, type Html } from '../shell/html.ts';
import { costPathOf } from './cost-address.ts';
import { type CostCondition } from './cost-keys.ts';
import type { WindowChoice } from './window-choice.ts';

interface CostCause {
  readonly endUser: { readonly endUserId: EndUserId; readonly name: string } | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly start: string;
  readonly end: string;
  readonly cost: string;
}

export interface CausedChange {
  readonly start: string;
  readonly end: string;
  readonly total: { readonly cost: string };
  readonly mainCause: CostCause | null;
}

/** `filters`: the filters of the changed costs. */
export function mainCauseLine(
  change: CausedChange,
  { window, filters }: { readonly window: WindowChoice; readonly filters: readonly CostCondition[] },
): Html | false {
  const { start, end, total, mainCause } = change;
  if (mainCause === null) return false;
  const { endUser, agent, model } = mainCause;
  const narrowed = [
    ...filters,
    ...(endUser === null ? [] : [{ key: 'customer', value: endUser.endUserId }]),
    ...(agent === null ? [] : [{ key: 'agent', value: agent }]),
    ...(model === null ? [] : [{ key: 'model', value: model }]),
  ];
  const words = causeInWords(
    { customer: endUser?.name ?? null, agent, model, start: mainCause.start, end: mainCause.end },
    { start, end },
  );
  const isWhole = mainCause.start === start && mainCause.end === end;
  const [from, to] = [mainCause.start, mainCause.end].map((iso) => minuteOf(Date.parse(iso)));
  const when = isWhole ? window : { ...window, name: null, at: null, from: from!, to: to! };
  return html`<p>Main cause: <strong><a href="${costPathOf(when, narrowed)}">${words}</a></strong>: ${usdText(mainCause.cost)} of ${usdText(total.cost)}.</p>`;
}
