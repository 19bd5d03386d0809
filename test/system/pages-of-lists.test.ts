/**
 * Every list of the graph, page by page: the pages together are the whole list, also if items have equal sort values;
 * each page knows its neighbors; and the size of a page has its bounds, which the schema states for most lists.
 */
import { buildSchema, getNamedType, type GraphQLObjectType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, post, postSignedExt, settle } from '../support/api-client.ts';
import { projectText } from '../support/project-files.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { askAs, signedIn, type Visitor } from '../support/visitor.ts';
import { usageEvent } from '../support/usage-event.ts';

const schema = buildSchema(projectText('schema/api.graphql'));
const END_USERS = ['ada', 'bob', 'cyd'];
const AT = '2026-01-15T10:00:00.000Z';
const DAY = '2026-01-15';
const JANUARY = 'start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z"';

let service: SharedService;
let owner: Visitor;
let allowance: string;

const ask = async (document: string, variables: object = {}) => {
  const { url, firstRun } = service;
  return (await graphql(url, firstRun.operator_token, document, variables, firstRun.organization_id)).body;
};
const change = async (mutation: string, variables: object = {}): Promise<any> => {
  const body = await ask(mutation, variables);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  for (const payload of Object.values<any>(body.data)) expect(payload.userErrors).toEqual([]);
  return body.data;
};
const ERRORS = 'userErrors { message }';

/** Three of everything, with equal times and amounts. */
beforeAll(async () => {
  service = await sharedService();
  const { url, firstRun } = service;
  owner = await signedIn(url, firstRun);
  const events = END_USERS.flatMap((user) =>
    ['gpt-4o', 'gpt-4o-mini', 'o1'].map((model) =>
      usageEvent({ user_id: user, model, cost_override: '0.5', event_invoked_at: AT, session_id: 'one' }),
    ),
  );
  const { body } = await post(url, '/usage-events/batch', firstRun.live_ingest_key, events);
  expect(body).toMatchObject({ accepted: 9 });
  const outcomes = END_USERS.map((user) => ({ key: user, name: user, user_id: user, at: AT, succeeded: true }));
  const recorded = await postSignedExt(url, '/outcomes', firstRun.live_ingest_key, outcomes);
  expect(recorded.body).toMatchObject({ accepted: 3 });
  await change(`mutation {
    ${END_USERS.map(
      (user, index) => `
    a${index}: allowanceSave(input: { subject: END_USER, subjectId: "${user}", period: DAY, amount: "5" }) { ${ERRORS} }
    b${index}: costAdjustmentBook(input: { amount: "1", day: "${DAY}", note: "${user}", provider: "openai" }) { ${ERRORS} }
    d${index}: dimensionRegister(input: { key: "key_${user}" }) { ${ERRORS} }
    n${index}: noteAdd(input: { day: "${DAY}", text: "${user}" }) { ${ERRORS} }
    r${index}: alertRuleSave(input: { kind: BUDGET, name: "${user}", amount: "5", period: MONTH }) { ${ERRORS} }
    f${index}: fixedCostSave(input: { key: "${user}", name: "${user}", driver: NONE, replacesModelCost: false,
      periods: [{ from: "${DAY}", until: "2026-01-17", amount: "1", currency: "USD", per: DAY, quantity: "1" }] }) { ${ERRORS} }`,
    ).join('')}
  }`);
  const saved = await change(`mutation {
    allowanceSave(input: { subject: ORGANIZATION, period: PREPAID }) { allowance { id } ${ERRORS} }
  }`);
  allowance = saved.allowanceSave.allowance.id;
  for (const user of END_USERS) {
    await change(
      `mutation ($topUp: AllowanceTopUpInput!, $hold: HoldOpenInput!) {
        allowanceTopUp(input: $topUp) { ${ERRORS} } holdOpen(input: $hold) { ${ERRORS} }
      }`,
      {
        topUp: { allowanceId: allowance, amount: '5', idempotencyKey: user },
        hold: { idempotencyKey: user, spend: { endUser: user, amount: '0.01' } },
      },
    );
  }
  await settle(url, firstRun.operator_token);
});
afterAll(() => service.stop());

/** Lists for operators; the organization's owner reads all others. */
const OF_OPERATOR = ['Query.attributionOperations', 'Query.bookDifferences', 'Query.costingOperations'];

interface List {
  /** The most items of a page. */
  readonly max: number;
  /** Other arguments. */
  readonly input?: () => string;
  /** Whether the list has items here. Lists without any are walked in tests of their own. */
  readonly isFilled?: boolean;
}

const filled = (max: number, input = ''): List => ({ max, input: () => input, isFilled: true });
const MONTH = `filter: { ${JANUARY} }`;

/** The bounds are those of the descriptions in the schema. */
const LISTS: Readonly<Record<string, List>> = {
  'Query.alertDeliveries': { max: 100 },
  'Query.alertEpisodes': { max: 200 },
  'Query.alertingAuditLog': filled(200),
  'Query.allowanceTopUps': { max: 200, input: () => `allowanceId: "${allowance}"`, isFilled: true },
  'Query.allowances': filled(500),
  'Query.attributionAuditLog': filled(200),
  'Query.attributionOperations': { max: 200 },
  'Query.auditLog': filled(200),
  'Query.billDifferences': { max: 500, input: () => MONTH },
  'Query.billingCustomers': { max: 200 },
  'Query.billingSubscriptions': { max: 200 },
  'Query.bookDifferences': { max: 1_000 },
  'Query.costingAuditLog': filled(200),
  'Query.costingOperations': { max: 200 },
  'Query.endUserErasures': { max: 100 },
  'Query.endUsers': filled(5_000),
  'Query.exportDeliveries': { max: 100 },
  'Query.fxRates': { max: 1_000 },
  'Query.holds': filled(200),
  'Query.invoiceRates': { max: 200 },
  'Query.rateCards': filled(200, 'filter: { search: "gpt-4o" }'),
  'Query.receivedEvents': filled(200),
  'Query.reconciliationAuditLog': { max: 200 },
  'Query.revenueAuditLog': { max: 200 },
  'Query.revenueMappingConflicts': { max: 200 },
  'Window.allocatedCosts': filled(1_000, 'groupBy: FIXED_COST'),
  'Window.chargeDays': filled(5_000),
  'Window.costAdjustments': filled(1_000),
  'Window.costs': filled(5_000, 'groupBy: [END_USER, MODEL]'),
  'Window.costsByApiKey': filled(1_000),
  'Window.events': filled(200),
  'Window.margin.endUsers': filled(5_000),
  'Window.margin.unmatchedCustomers': { max: 5_000 },
  'Window.marginAfterFixedCosts.endUsers': filled(5_000),
  'Query.session.events': filled(200),
  'Window.outcomeRecords': filled(200),
  'Window.outcomes': filled(1_000, 'groupBy: NAME'),
};

/** Lists of another order or grouping. */
const MORE: Readonly<Record<string, List>> = {
  'Window.events by cost': filled(200, 'orderBy: COST'),
  'Window.chargeDays by end user': filled(5_000, 'by: END_USER'),
  'Window.costs by end user': filled(5_000, 'groupBy: [END_USER]'),
  'Window.allocatedCosts by day': filled(1_000, 'groupBy: DAY'),
  'Window.outcomes by end user': filled(1_000, 'groupBy: END_USER'),
};

/** The first items of other fields, which have no further pages. */
const FIRST: Readonly<Record<string, List>> = {
  'Query.endUserSuggestions': { max: 50, input: () => 'text: "a"' },
  'Window.costsByAttribution': { max: 1_000, input: () => 'key: "feature"' },
  'Window.costChange': { max: 5_000 },
  'Window.insights': { max: 20 },
  'Window.ledgerCostsByEndUser': { max: 1_000 },
  'Window.notes': { max: 200 },
};

const ARGUMENTS: Readonly<Record<string, string>> = {
  'Query.window': `(${JANUARY})`,
  'Query.session': '(sessionId: "one")',
};

/** The names of the fields from the root to the list. */
const pathOf = (name: string) => {
  const [root = '', ...path] = name.replace(/ .*/, '').split('.');
  return root === 'Window' ? ['window', ...path] : path;
};

const typeAt = (path: readonly string[]) =>
  path.reduce<GraphQLObjectType>((type, name) => {
    const next = getNamedType(type.getFields()[name]!.type);
    if (!isObjectType(next)) throw new Error(`${name} is not an object`);
    return next;
  }, schema.getQueryType()!);

/** All values of a type that need no arguments. */
const valuesOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0)
    .map(({ name }) => name)
    .join(' ');

async function read(name: string, { input = () => '' }: List, page: string, selected: string) {
  const path = pathOf(name);
  const list = `${path.at(-1)}(${page} ${input()}) ${selected}`;
  const document = path
    .slice(0, -1)
    .reduceRight((inner, field) => `${field}${ARGUMENTS[`Query.${field}`] ?? ''} { ${inner} }`, list);
  const body = OF_OPERATOR.includes(name) ? await ask(`{ ${document} }`) : await askAs(owner, `{ ${document} }`);
  return { errors: body.errors, value: path.reduce((value, field) => value?.[field], body.data) };
}

interface Page {
  readonly nodes: readonly object[];
  readonly edges: readonly { readonly cursor: string; readonly node: object }[];
  readonly pageInfo: object;
  readonly totalCount?: number | null;
}

async function readPage(name: string, list: List, page: string): Promise<Page> {
  const type = typeAt(pathOf(name));
  const node = getNamedType(type.getFields()['nodes']!.type) as GraphQLObjectType;
  const total = type.getFields()['totalCount'] === undefined ? '' : 'totalCount';
  const { errors, value } = await read(
    name,
    list,
    page,
    `{ nodes { ${valuesOf(node)} } edges { cursor node { ${valuesOf(node)} } }
       pageInfo { hasNextPage hasPreviousPage startCursor endCursor } ${total} }`,
  );
  if (errors || !value) throw new Error(JSON.stringify(errors));
  return value;
}

describe('pages of one item', () => {
  const lists = Object.entries({ ...LISTS, ...MORE }).filter(([, { isFilled }]) => isFilled);

  it.each(lists)('%s', async (name, list) => {
    const whole = await readPage(name, list, 'first: 40');
    expect(whole.nodes.length).toBeGreaterThan(name === 'Window.costsByApiKey' ? 0 : 1);
    let after = '';
    for (const [index, item] of whole.nodes.entries()) {
      const { nodes, edges, pageInfo, totalCount } = await readPage(name, list, `first: 1 ${after}`);
      expect({ nodes, edges, pageInfo, totalCount }).toEqual({
        nodes: [item],
        edges: [whole.edges[index]],
        pageInfo: {
          hasNextPage: index < whole.nodes.length - 1,
          hasPreviousPage: index > 0,
          startCursor: edges[0]?.cursor,
          endCursor: edges[0]?.cursor,
        },
        totalCount: whole.totalCount,
      });
      after = `after: ${JSON.stringify(edges[0]?.cursor)}`;
    }
  });
});

describe('the size of a page', () => {
  const lists = [...Object.entries(LISTS), ...Object.entries(FIRST)];

  it.each(lists)('of %s', async (name, list) => {
    const type = Object.values(typeAtParent(name).getFields()).find((field) => field.name === pathOf(name).at(-1))!;
    const selected = isObjectType(getNamedType(type.type)) ? '{ __typename }' : '';
    const errorsOf = async (first: number) => (await read(name, list, `first: ${first}`, selected)).errors;
    expect(await errorsOf(1)).toBeUndefined();
    expect(await errorsOf(list.max)).toBeUndefined();
    for (const first of [0, list.max + 1]) {
      expect(await errorsOf(first)).toMatchObject([
        { message: expect.stringContaining(`first must be from 1 to ${list.max}`) },
      ]);
    }
  });
});

function typeAtParent(name: string): GraphQLObjectType {
  return typeAt(pathOf(name).slice(0, -1));
}
