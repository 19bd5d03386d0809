/**
 * `CUSTOMER_UNPROFITABLE` and `COST_WITHOUT_REVENUE`: evaluates the trailing 30 days of every customer, as of a
 * settled day.
 */
import { usdText } from '#kernel/usd-text.ts';
import { amount } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import {
  CUSTOMER_WINDOW_DAYS,
  type CustomerMemory,
  judgeCostWithoutRevenue,
  judgeUnprofitable,
} from '../detection/customer.ts';
import { CUSTOMERS_MAX, GROUPS_MAX } from '../config.ts';
import { type CustomerMargin, CUSTOMERS, readCustomers, readFirstDay } from '../figures/customer-figures.step.ts';
import { customerPath } from '../figures/page-path.ts';
import { dayWords } from '../figures/words.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleOfDay, unsettledGroups } from './judged.ts';

export async function evaluateCustomers(rule: RuleOfDay): Promise<GroupJudgement[]> {
  const { day, read } = rule;
  const { kind } = rule.rule;
  const floor = amount(rule.rule.parameters.floor ?? '0');
  const end = Date.parse(day) + DAY_MS;
  const window = {
    start: new Date(end - CUSTOMER_WINDOW_DAYS * DAY_MS).toISOString(),
    end: new Date(end).toISOString(),
  };
  const { customers } = await readCustomers(read, window, CUSTOMERS_MAX);
  const unsettled = new Set(unsettledGroups(rule));
  const isCandidate = ({ revenue, cost }: CustomerMargin) =>
    kind === 'CUSTOMER_UNPROFITABLE'
      ? amount(revenue) > 0n && amount(cost) - amount(revenue) > floor
      : amount(revenue) <= 0n && amount(cost) > floor;
  const candidates = customers.filter((customer) => !unsettled.has(customer.externalId) && isCandidate(customer));
  const judged = [
    ...[...unsettled].map((id) => customers.find(({ externalId }) => externalId === id) ?? gone(rule, id)),
    ...candidates.slice(0, GROUPS_MAX),
  ];
  return Promise.all(judged.map((customer) => judgeCustomer(rule, window, customer, isCandidate(customer))));
}

/** A customer without cost or revenue in the window. */
function gone({ organizationId }: RuleOfDay, externalId: string): CustomerMargin {
  const id = endUserId(organizationId, externalId);
  return { id, externalId, name: externalId, cost: '0', revenue: '0', margin: '0', marginPercent: null };
}

async function judgeCustomer(
  rule: RuleOfDay,
  window: { readonly start: string; readonly end: string },
  customer: CustomerMargin,
  isCandidate: boolean,
): Promise<GroupJudgement> {
  const { day, read, states } = rule;
  const { kind, parameters } = rule.rule;
  const { externalId, name, revenue, cost } = customer;
  const isFiring = states.get(externalId)?.state === 'firing';
  // A customer's first day is read only if it can matter.
  const since = isFiring || !isCandidate ? null : await readFirstDay(read, externalId, window);
  const input = { day, since, revenue, cost, floor: parameters.floor ?? '0' };
  const memory = memoryOf<CustomerMemory>(rule, externalId);
  const verdict =
    kind === 'CUSTOMER_UNPROFITABLE' ? judgeUnprofitable(input, memory) : judgeCostWithoutRevenue(input, memory);
  return {
    groupKey: externalId,
    groupName: name,
    severity: 'WARNING',
    judgement: plainJudgement(verdict, window.end),
    evidence: {
      sentence:
        kind === 'CUSTOMER_UNPROFITABLE'
          ? `${name} cost ${usdText(cost)} and paid ${usdText(revenue)} in the ${CUSTOMER_WINDOW_DAYS} days to ${dayWords(day)}: a margin of ${usdText(customer.margin)}.`
          : `${name} cost ${usdText(cost)} and paid nothing in the ${CUSTOMER_WINDOW_DAYS} days to ${dayWords(day)}.`,
      figures: verdict.figures,
      windowStart: window.start,
      windowEnd: window.end,
      computedAt: rule.at.toISOString(),
      query: { document: CUSTOMERS, variables: { ...window, search: externalId, after: null } },
      path: customerPath(customer.id, window),
    },
  };
}
