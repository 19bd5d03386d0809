/** `books whatif`: the cost of a window under other models, rates and shares, or its revenue under a plan. */
import { type Form, RATE, text } from '../../kit/flags.ts';
import type { Args } from '../../kit/parse-args.ts';
import { UsageError } from '../../kit/usage-error.ts';
import { defineRead, extRead } from '../define-read.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import { type CostSimulation, costSheet, type PlanSimulation, planSheet } from '../whatif-sheet.ts';

const CHANGES = ['model', 'rate', 'cached', 'batch'] as const;
const PLAN = ['plan', 'events', 'cost', 'all'] as const;
const NAMED = /^([^=\s]+)=(\S+)$/;
const INCLUDED = /^(\d+(?:\.\d+)?)@(\d+(?:\.\d+)?)$/;

const form = (hint: string, what: string, pattern: RegExp): Form => ({
  hint,
  what,
  read: (typed) => (pattern.test(typed) ? typed : null),
});
const SHARE = form('[M=]S', 'a share from 0 to 1, such as 0.5 or gpt-4o=0.5', /^([^=\s]+=)?[01](\.\d+)?$/);
const INCLUDES = form('N@X', 'included amount and price beyond it, such as 1000@0.01', INCLUDED);

export const whatif = defineRead({
  name: 'whatif',
  summary: 'Costs with other models or rates, or margins under a plan; nothing is stored',
  flags: {
    model: {
      form: form('M=N', 'two models, such as gpt-4o=gpt-4o-mini', NAMED),
      repeated: true,
      about: 'Model N instead of M',
    },
    rate: {
      form: form('M[:C]=X', 'a rate, such as gpt-4o:input=2 or gpt-4o=x0.9', /^[^=\s]+=x?\d+(\.\d+)?$/),
      repeated: true,
      about: 'USD per million tokens of a class, or a factor',
    },
    cached: { form: SHARE, repeated: true, about: 'Share of the input that comes from a cache' },
    batch: { form: SHARE, repeated: true, about: 'Share that is sent in batches' },
    user: { form: text('ID'), about: 'Only calls for this end user' },
    agent: { form: text('ID'), about: 'Only calls of this agent' },
    plan: { form: RATE, about: 'Instead of a change: a flat monthly price in USD' },
    events: { form: INCLUDES, about: 'Plan: included events, and USD per extra event' },
    cost: { form: INCLUDES, about: 'Plan: included cost, and the factor for cost beyond it' },
    all: { about: 'Plan: for all end users, not only paying ones' },
  },
  toRead(args, now) {
    const isPlan = PLAN.some((name) => args.has(name));
    if (isPlan === CHANGES.some((name) => args.has(name)))
      throw new UsageError('Give --model, --rate, --cached or --batch, or --plan');
    const dates = rangeOfArgs(args, now);
    if (isPlan) return extRead<PlanSimulation>('/simulate-plan', { ...dates, ...planOf(args) }, planSheet);
    const change = { ...dates, changes: changesOf(args), ...filterOf(args) };
    return extRead<CostSimulation>('/simulate-costs', change, costSheet);
  },
});

function changesOf(args: Args): object[] {
  return [
    ...args.all('model').map((typed) => {
      const [model, byModel] = parted(typed);
      return { replace: { model, by_model: byModel } };
    }),
    ...args.all('rate').map((typed) => {
      const [named = '', value = ''] = parted(typed);
      const [model, tokenClass] = named.split(':');
      const change = value.startsWith('x') ? { factor: value.slice(1) } : { amount: value };
      return { rate: { model, ...(tokenClass ? { token_class: tokenClass } : {}), ...change } };
    }),
    ...args.all('cached').map((typed) => ({ cached_share: shareOf(typed) })),
    ...args.all('batch').map((typed) => ({ batch_share: shareOf(typed) })),
  ];
}

function parted(typed: string): string[] {
  return NAMED.exec(typed)?.slice(1) ?? [];
}

function shareOf(typed: string): object {
  const [model, share] = parted(typed);
  return model === undefined ? { share: typed } : { model, share };
}

function filterOf(args: Args): object {
  const named = { end_user: args.optional('user'), agent: args.optional('agent') };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function planOf(args: Args): object {
  if (!args.has('plan')) throw new UsageError('--events, --cost and --all require --plan');
  const [, events, price] = INCLUDED.exec(args.optional('events') ?? '') ?? [];
  const [, cost, factor] = INCLUDED.exec(args.optional('cost') ?? '') ?? [];
  return {
    plan: {
      flat: args.text('plan'),
      ...(events === undefined ? {} : { included_events: Number(events), overage_per_event: price }),
      ...(cost === undefined ? {} : { included_cost: cost, overage_cost_factor: factor }),
    },
    customers: args.has('all') ? 'all' : 'paying',
  };
}
