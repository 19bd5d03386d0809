/** The fields of the form for a fixed cost, and what they mean. */
import type { DataOf, VariablesOf } from '#schema/graphql.ts';
import { field, names } from '../../http/form.ts';

type FixedCost = NonNullable<DataOf<'FixedCostForm'>['fixedCost']>;
type Input = VariablesOf<'SaveFixedCost'>['input'];

export const DRIVERS: Readonly<Record<FixedCost['driver'], string>> = {
  TOKENS: 'tokens',
  EVENTS: 'events',
  COST: 'model costs',
  UNITS: 'units',
  EQUAL: 'equal parts',
  SHARES: 'fixed shares',
  NONE: 'nobody',
};
export const RATE_UNITS: Readonly<Record<FixedCost['periods'][number]['per'], string>> = {
  MONTH: 'month',
  DAY: 'day',
  HOUR: 'hour',
  PERIOD: 'whole period',
};

/** Fields of the terms, except the fields of their periods. */
export const TERMS = [
  ...['editing', 'key', 'name', 'provider', 'driver', 'unit', 'capacityPerDay', 'replacesModelCost'],
  ...['models', 'endUsers', 'dimensions', 'weights', 'shares'],
] as const;

/** Names of the form fields of a period; `index` starts at 0. */
export const periodNames = (index: number) => ({
  from: `from${index}`,
  until: `until${index}`,
  amount: `amount${index}`,
  per: `per${index}`,
  quantity: `quantity${index}`,
});

/** Maximum number of periods that can be saved. */
const PERIODS_MAX = 120;

/** The periods that were typed, and an empty one for a further period. */
export function periodsOf(typed: URLSearchParams): readonly { readonly isEmpty: boolean }[] {
  const all = Array.from({ length: PERIODS_MAX }, (_, index) => {
    const { from, amount } = periodNames(index);
    return { isEmpty: field(typed, from) === '' && field(typed, amount) === '' };
  });
  return all.slice(0, all.findLastIndex(({ isEmpty }) => !isEmpty) + 2);
}

/** The pairs in a field such as `output=4, cache_read=0.1`. A pair without a value has an empty one. */
function pairs(form: URLSearchParams, name: string): (readonly [key: string, value: string])[] {
  return names(form, name).map((text) => {
    // An end user's id may contain `=`, and so may a value of a dimension, but its key does not.
    const mark = name === 'dimensions' ? text.indexOf('=') : text.lastIndexOf('=');
    return mark === -1 ? [text, ''] : [text.slice(0, mark).trim(), text.slice(mark + 1).trim()];
  });
}

export function inputOf(form: URLSearchParams): Input {
  const optional = (name: 'provider' | 'unit' | 'capacityPerDay') =>
    field(form, name) === '' ? {} : { [name]: field(form, name) };
  const [models, endUsers] = [names(form, 'models'), names(form, 'endUsers')];
  const dimensions = Map.groupBy(pairs(form, 'dimensions'), ([key]) => key);
  return {
    key: field(form, 'key'),
    name: field(form, 'name'),
    driver: keyOf(DRIVERS, field(form, 'driver'), 'TOKENS'),
    ...optional('provider'),
    ...optional('unit'),
    ...optional('capacityPerDay'),
    replacesModelCost: field(form, 'replacesModelCost') === 'yes',
    weights: pairs(form, 'weights').map(([name, weight]) => ({ class: name, weight })),
    shares: pairs(form, 'shares').map(([endUser, percent]) => ({ endUser, percent })),
    scope: {
      ...(models.length > 0 && { models }),
      ...(endUsers.length > 0 && { endUsers }),
      dimensions: [...dimensions].map(([key, of]) => ({ key, values: of.map(([, value]) => value) })),
    },
    periods: periodsOf(form).flatMap(({ isEmpty }, index) => {
      if (isEmpty) return [];
      const { from, until, amount, per, quantity } = periodNames(index);
      return [
        {
          from: field(form, from),
          amount: field(form, amount),
          per: keyOf(RATE_UNITS, field(form, per), 'MONTH'),
          ...(field(form, until) !== '' && { until: field(form, until) }),
          ...(field(form, quantity) !== '' && { quantity: field(form, quantity) }),
        },
      ];
    }),
  };
}

/** The fields of a saved fixed cost. */
export function typedOf({ periods, scope, weights, shares, ...fixedCost }: FixedCost): URLSearchParams {
  const { key, name, provider, driver, unit, capacityPerDay, replacesModelCost } = fixedCost;
  const typed = new URLSearchParams({
    editing: key,
    key,
    name,
    provider: provider ?? '',
    driver,
    unit: unit ?? '',
    capacityPerDay: capacityPerDay ?? '',
    replacesModelCost: replacesModelCost ? 'yes' : 'no',
    models: scope.models?.join(', ') ?? '',
    endUsers: scope.endUsers?.join(', ') ?? '',
    dimensions: scope.dimensions
      .flatMap((condition) => condition.values.map((value) => `${condition.key}=${value}`))
      .join(', '),
    weights: weights.map((one) => `${one.class}=${one.weight}`).join(', '),
    shares: shares.map(({ endUser, percent }) => `${endUser}=${percent}`).join(', '),
  });
  for (const [index, period] of periods.entries()) {
    const names = periodNames(index);
    typed.set(names.from, period.from);
    typed.set(names.until, period.until ?? '');
    typed.set(names.amount, period.amount);
    typed.set(names.per, period.per);
    typed.set(names.quantity, period.quantity);
  }
  return typed;
}

/** True if a name contains a comma, which separates names in the form. */
export function hasComma({ scope, shares }: FixedCost): boolean {
  const listed = [...(scope.models ?? []), ...(scope.endUsers ?? []), ...shares.map(({ endUser }) => endUser)];
  return [...listed, ...scope.dimensions.flatMap(({ values }) => values)].some((text) => text.includes(','));
}

function keyOf<Names extends object>(names: Names, typed: string, otherwise: keyof Names): keyof Names {
  return Object.hasOwn(names, typed) ? (typed as keyof Names) : otherwise;
}
