/** Every list in the public graph is paged with cursors, or short. */
import {
  buildSchema,
  getNamedType,
  getNullableType,
  type GraphQLField,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import { expect, it } from 'vitest';
import { projectText } from '../support/project-files.ts';

const PAGE_ARGUMENTS = ['limit', 'offset', 'before', 'last', 'page', 'skip', 'max'];

/** Reports of the `first` largest groups, with a count of all: there is nothing to page through. */
const TOP_GROUPS = [
  'Query.endUserSuggestions',
  'Query.fixedCostPreview',
  'Window.costsByAttribution',
  'Window.insights',
  'Window.notes',
  'Window.ledgerCostsByEndUser',
];

/** Values with totals, whose own field is the connection of this page. */
const WITH_CONNECTION = ['Window.costChange', 'Window.simulateCosts', 'Window.simulatePlan'];

/** Ids for background work, after the last id. */
const IDS = ['Query.deletedOrganizations', 'Query.organizationIds'];

/** Lists of root fields and entities that are returned whole without a fixed bound, and why they stay short. */
const WHOLE: Readonly<Record<string, string>> = {
  'Query.accountUserIssued': 'what one account user issued by hand',
  'Query.accountUserSessions': 'open sessions of one account user',
  'Query.accountUsers': 'account users are invited one by one',
  'Query.alertingSealedValues': 'one for each kind and encryption key',
  'Query.billConnections': 'one for each account at a provider',
  'Query.billFixPropose': 'rates of one bill that differ',
  'Query.billScopes': 'one for each account at a provider',
  'Query.identitySealedValues': 'one for each kind and encryption key',
  'Query.invitations': 'written one by one, and expire',
  'Query.modelAliases': 'entered one by one',
  'Query.negotiatedRates': 'entered one by one',
  'Query.operatorTokens': 'created one by one',
  'Query.organizations': 'for operators; programs read organizationIds',
  'Query.rateEstimationTable': 'a table to search in; a part of it would match the wrong prefix',
  'Query.reconciliationSealedValues': 'one for each kind and encryption key',
  'Query.revenueSealedValues': 'one for each kind and encryption key',
  'Query.sessions': 'open sessions of one account user',
  'Query.telemetrySources': 'one for each sending program',
  'Query.unitRateEstimationTable': 'a table to search in; a part of it would match the wrong prefix',
  'Query.upcomingRateChanges': 'announced changes of one year',
  'Query.verifyAttribution': 'one for each check',
  'Query.verifyCosting': 'one for each check',
  'Query.verifyRevenue': 'one for each check',
  'RateCard.versions': 'one for each change of the price',
  'SessionTree.spans': 'spans of one session, which is bounded when it is read',
  'Window.warnings': 'one for each kind',
};

const schema = buildSchema(projectText('schema/api.graphql'));
const fields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ type, field, path: `${type.name}.${field.name}` })),
  );
const argumentsOf = ({ args }: GraphQLField<unknown, unknown>) => args.map(({ name }) => name);

it('no field is paged by anything but first and after', () => {
  const isWindow = (field: GraphQLField<unknown, unknown>) => argumentsOf(field).includes('named');
  expect(
    fields.flatMap(({ field, path }) =>
      argumentsOf(field)
        .filter((name) => PAGE_ARGUMENTS.includes(name) && !(name === 'last' && isWindow(field)))
        .map((name) => `${path}(${name})`),
    ),
  ).toEqual([]);
});

it('fields with first or after return a connection', () => {
  const paged = fields.filter(({ field }) => ['first', 'after'].some((name) => argumentsOf(field).includes(name)));
  expect(paged.length).toBeGreaterThan(25);
  const others = paged.filter(({ field }) => !getNamedType(field.type).name.endsWith('Connection'));
  expect(others.map(({ path }) => path).toSorted()).toEqual([...TOP_GROUPS, ...WITH_CONNECTION, ...IDS].toSorted());
});

it('a connection has nodes, edges with cursors, and the position of the page', () => {
  const pages = fields
    .filter(({ field }) => argumentsOf(field).includes('after'))
    .map(({ field }) => getNamedType(field.type))
    .filter((type) => isObjectType(type) && type.name.endsWith('Connection'));
  const incomplete = pages.filter(
    (type) => isObjectType(type) && ['nodes', 'edges', 'pageInfo'].some((name) => !type.getFields()[name]),
  );
  expect(incomplete).toEqual([]);
});

it('lists of objects on root fields and entities state their bound', () => {
  const node = schema.getType('Node');
  const roots = [schema.getQueryType(), schema.getType('Window')];
  const whole = fields
    .filter(({ type }) => roots.includes(type) || type.getInterfaces().some((one) => one === node))
    .filter(({ field: { type } }) => isListType(getNullableType(type)) && isCompositeType(getNamedType(type)))
    .filter(({ field, path }) => !/at most \d/.test(field.description ?? '') && !TOP_GROUPS.includes(path));
  expect(whole.map(({ path }) => path).toSorted()).toEqual(Object.keys(WHOLE).toSorted());
});
