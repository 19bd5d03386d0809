/** The form of an alert rule: the fields of its kind, with the typed values or the rule's. */
import { parseAmount } from '#kernel/parse-amount.ts';
import type { VariablesOf } from '#schema/graphql.ts';
import { field } from '../../http/form.ts';
import { html, type Html } from '../../shell/html.ts';
import {
  type AlertKind,
  type AlertMetric,
  type AlertRule,
  GROUPS,
  KINDS,
  METRICS,
  type RuleField,
  UNIT_METRICS,
} from './rule-words.ts';

export type RuleInput = VariablesOf<'SaveAlertRule'>['input'];

export interface RuleChoices {
  readonly dimensions: readonly { readonly key: string; readonly label: string }[];
  readonly alertChannels: readonly { readonly id: string; readonly name: string }[];
}

const DIMENSION = 'dimension.';
const DIMENSIONS_MAX = 5;

/** Typed text by field name. */
type Typed = Readonly<Record<string, string>>;

/** Fields of an existing rule. */
export function typedOf(rule: AlertRule): Typed {
  const { filter, groupBy, groupByDimension, windowHours, windowDays } = rule;
  return {
    name: rule.name,
    outcome: rule.outcome ?? '',
    metric: rule.metric ?? '',
    comparator: rule.comparator ?? '',
    value: rule.value ?? '',
    count: String(windowHours ?? windowDays ?? ''),
    unit: windowHours === null ? 'days' : 'hours',
    period: rule.period ?? '',
    amount: rule.amount ?? '',
    levels: (rule.levels ?? []).join(', '),
    forecast: rule.withForecast === false ? '' : 'yes',
    floor: rule.floor ?? '',
    endUser: filter?.endUser ?? '',
    agent: filter?.agent ?? '',
    model: filter?.model ?? '',
    provider: filter?.provider ?? '',
    dimensions: JSON.stringify(filter?.dimensions ?? []),
    group: groupByDimension === null ? (groupBy ?? '') : `${DIMENSION}${groupByDimension}`,
    muted: rule.isMuted ? 'yes' : '',
    channels: rule.channelIds.join(' '),
  };
}

/** Fields of a new rule of a kind. */
export function newlyTyped(kind: AlertKind): Typed {
  const { label } = KINDS[kind];
  const days = { count: '24', unit: 'hours', comparator: 'ABOVE' };
  return {
    name: label,
    forecast: 'yes',
    period: 'MONTH',
    levels: '50, 80, 100',
    ...(kind === 'THRESHOLD' ? days : {}),
    ...(kind === 'COST_PER_SUCCESS' || kind === 'IDLE_CAPACITY' ? { count: '7', unit: 'days' } : {}),
    ...(kind === 'CAPACITY_EXHAUSTED' ? { count: '1', unit: 'days' } : {}),
    ...(kind === 'ALLOWANCE_USED' ? { levels: '80, 100' } : {}),
  };
}

/** Fields as typed. */
export function typedIn(form: URLSearchParams): Typed {
  const values = form.getAll('keyValue');
  const dimensions = form.getAll('key').map((key, at) => ({ key: key.trim(), value: (values[at] ?? '').trim() }));
  return {
    ...Object.fromEntries([...form.keys()].map((name) => [name, field(form, name)])),
    dimensions: JSON.stringify(dimensions.filter(({ key }) => key !== '')),
    channels: form.getAll('channel').join(' '),
  };
}

/** The typed rule as graph input: only non-empty fields that its kind takes. */
export function ruleInput(kind: AlertKind, id: string | null, typed: Typed): RuleInput {
  const has = (name: RuleField) => KINDS[kind].fields.includes(name);
  const text = (name: string) => typed[name] ?? '';
  const ofFields: Partial<Record<RuleField, object>> = {
    outcome: { outcome: text('outcome') },
    metric: { metric: text('metric') },
    value: { value: text('value'), ...(kind === 'THRESHOLD' ? { comparator: text('comparator') } : {}) },
    window:
      text('count') === '' ? {} : { [text('unit') === 'days' ? 'windowDays' : 'windowHours']: Number(text('count')) },
    period: { period: text('period') },
    amount: { amount: text('amount') },
    levels: {
      ...(text('levels') === ''
        ? {}
        : {
            levels: text('levels')
              .split(/[\s,;%]+/)
              .filter(Boolean)
              .map(Number),
          }),
      ...(kind !== 'BUDGET' || text('period') === 'DAY' ? {} : { withForecast: text('forecast') === 'yes' }),
    },
    floor: { floor: text('floor') },
    filter: filterInput(typed),
    group: text('group').startsWith(DIMENSION)
      ? { groupByDimension: text('group').slice(DIMENSION.length) }
      : { groupBy: text('group') },
  };
  const fields = Object.assign({}, ...KINDS[kind].fields.filter(has).map((name) => ofFields[name] ?? {})) as object;
  return {
    ...(id === null ? {} : { id }),
    name: text('name'),
    kind,
    ...(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<RuleInput>),
    channelIds: text('channels').split(' ').filter(Boolean),
    muted: text('muted') === 'yes',
  };
}

/** Error message for the first value that is not a decimal number; null if all are. */
export function numberError({ amount, value, floor }: RuleInput): string | null {
  if (isMistyped(amount)) return 'amount must be more than 0, in USD';
  const name = isMistyped(value) ? 'value' : isMistyped(floor) ? 'floor' : null;
  return name === null ? null : `${name} must be a number, 0 or more, such as 2.50`;
}

function isMistyped(text: unknown): boolean {
  return text !== undefined && text !== null && parseAmount(text) === null;
}

function filterInput(typed: Typed): object {
  const values = Object.entries({
    endUser: typed['endUser'],
    agent: typed['agent'],
    model: typed['model'],
    provider: typed['provider'],
  }).filter(([, value]) => value !== undefined && value !== '');
  const dimensions = dimensionsOf(typed);
  if (values.length === 0 && dimensions.length === 0) return {};
  return { filter: { ...Object.fromEntries(values), ...(dimensions.length > 0 ? { dimensions } : {}) } };
}

/** Keys with values, from the repeated fields. */
function dimensionsOf(typed: Typed): readonly { readonly key: string; readonly value: string }[] {
  return JSON.parse(typed['dimensions'] ?? '[]') as { key: string; value: string }[];
}

export function ruleFields(kind: AlertKind, typed: Typed, choices: RuleChoices): Html {
  const chosen = new Set((typed['channels'] ?? '').split(' '));
  return html`
  <div class="fields"><label>Name <input name="name" value="${typed['name']}" maxlength="100" required autocomplete="off"></label></div>
  ${KINDS[kind].fields.filter((name) => name !== 'filter' && name !== 'group').length > 0 && html`<div class="fields">${KINDS[kind].fields.map((name) => fieldOf(name, kind, typed))}</div>`}
  ${KINDS[kind].fields.includes('filter') && scope(kind, typed, choices)}
  ${
    choices.alertChannels.length > 0 &&
    html`<fieldset><legend>Notify</legend>${choices.alertChannels.map(
      ({ id, name }) => html`
    <label class="choice"><input type="checkbox" name="channel" value="${id}"${chosen.has(id) && html` checked`}> <span>${name}</span></label>`,
    )}</fieldset>`
  }
  <label class="choice"><input type="checkbox" name="muted" value="yes"${typed['muted'] === 'yes' && html` checked`}> <span>Muted: shown here, not sent</span></label>`;
}

function fieldOf(name: RuleField, kind: AlertKind, typed: Typed): Html | false {
  const text = (key: string) => typed[key] ?? '';
  const options = (key: string, all: Readonly<Record<string, string>>) =>
    Object.entries(all).map(
      ([value, label]) => html`<option value="${value}"${text(key) === value && html` selected`}>${label}</option>`,
    );
  const number = (key: string, label: string, isRequired: boolean) =>
    html`<label>${label} <input name="${key}" value="${text(key)}" inputmode="decimal" maxlength="24" autocomplete="off"${isRequired && html` required`}></label>`;
  switch (name) {
    case 'outcome':
      return html`<label>Task name <input name="outcome" value="${text('outcome')}" maxlength="256" autocomplete="off" required></label>`;
    case 'metric':
      return html`<label>Figure <select name="metric">${options('metric', kind === 'UNIT_COST' ? pick(UNIT_METRICS) : METRICS)}</select></label>`;
    case 'value':
      if (kind === 'CATALOGUE_OLD' || kind === 'BILL_NOT_PULLED') return number('value', 'Days', false);
      if (kind === 'IDLE_CAPACITY' || kind === 'CAPACITY_EXHAUSTED') return number('value', 'Above, percent', false);
      if (kind === 'COST_PER_SUCCESS') return number('value', 'Above, USD per completed task', true);
      return kind === 'CREDITS_LOW'
        ? number('value', 'Percent left', false)
        : html`<label>Is <select name="comparator">${options('comparator', { ABOVE: 'above', BELOW: 'below' })}</select></label>${number('value', 'Value (USD for costs)', true)}`;
    case 'window':
      if (kind === 'COST_PER_SUCCESS' || kind === 'IDLE_CAPACITY' || kind === 'CAPACITY_EXHAUSTED')
        return html`${number('count', 'Window in days, 1 to 90', true)}<input type="hidden" name="unit" value="days">`;
      return html`${number('count', 'Over the last', true)}<label>Unit <select name="unit">${options('unit', { hours: 'hours, 1 to 24', days: 'days, 1 to 90' })}</select></label>`;
    case 'period':
      return html`<label>Per <select name="period">${options('period', { MONTH: 'month', DAY: 'day' })}</select></label>`;
    case 'amount':
      return number('amount', 'Amount, USD', true);
    case 'levels':
      return html`<label>Notify at (%) <input name="levels" value="${text('levels')}" maxlength="80" autocomplete="off"></label>
    ${kind === 'BUDGET' && html`<label class="choice"><input type="checkbox" name="forecast" value="yes"${text('forecast') === 'yes' && html` checked`}> <span>Also when the monthly forecast exceeds it</span></label>`}`;
    case 'floor':
      return number(
        'floor',
        kind === 'ANOMALY' || kind === 'UNIT_COST' ? 'Minimum difference, USD per day' : 'Minimum amount, USD',
        false,
      );
    default:
      return false;
  }
}

function pick(names: readonly AlertMetric[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, METRICS[name]]));
}

function scope(kind: AlertKind, typed: Typed, { dimensions }: RuleChoices): Html {
  const text = (key: string) => typed[key] ?? '';
  const isNarrowed = ['endUser', 'agent', 'model', 'provider', 'group'].some((key) => text(key) !== '');
  const narrowing = dimensionsOf(typed);
  const input = (key: string, label: string) =>
    html`<label>${label} <input name="${key}" value="${text(key)}" maxlength="256" autocomplete="off"></label>`;
  const option = (value: string, label: string, key: string) =>
    html`<option value="${value}"${text(key) === value && html` selected`}>${label}</option>`;
  return html`
  <details${(isNarrowed || narrowing.length > 0) && html` open`}><summary>Scope</summary>
    <div class="fields">
      ${
        KINDS[kind].fields.includes('group') &&
        html`<label>Separate alert per <select name="group">${option('', 'none', 'group')}${Object.entries(GROUPS).map(([value, label]) => option(value, label, 'group'))}${dimensions.map(({ key, label }) => option(`${DIMENSION}${key}`, label, 'group'))}</select></label>`
      }
      ${input('endUser', 'Only the customer, by its id')}${input('agent', 'Only the agent')}${input('model', 'Only the model')}
      ${kind !== 'COST_PER_SUCCESS' && html`${input('provider', 'Only the provider')}${dimensionInputs(narrowing)}`}
    </div></details>`;
}

function dimensionInputs(narrowing: readonly { readonly key: string; readonly value: string }[]): readonly Html[] {
  return [...narrowing, { key: '', value: '' }].slice(0, DIMENSIONS_MAX).map(
    ({ key, value }) => html`
      <label>Only the dimension <input name="key" value="${key}" maxlength="256" autocomplete="off"></label><label>with the value <input name="keyValue" value="${value}" maxlength="256" autocomplete="off"></label>`,
  );
}
