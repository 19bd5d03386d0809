/** Any argument of a read, and any text of a mutation, is accepted or refused, and never causes an internal error or a 5xx. */
import {
  buildSchema,
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../support/api-client.ts';
import { projectText } from '../support/project-files.ts';
import { askAs, signedIn } from '../support/visitor.ts';
import { runningService, type RunningService } from '../support/running-service.ts';

const SCHEMA = buildSchema(projectText('schema/api.graphql'));
const WINDOW = 'window(start: "2026-01-01", end: "2026-02-01")';

let service: RunningService;
beforeAll(async () => {
  service = await runningService({ READ_RATE_LIMIT: '1000000;w=900' });
});
afterAll(() => service.stop());

const TEXTS = [
  '',
  'x',
  '\u0000',
  '\ud800',
  '\u001f',
  '2026-02-30',
  '9999-12-31T23:59:59.999999Z',
  "'; --",
  'ü'.repeat(5_000),
];
const WHOLE = [-1, 0, 1, 2_147_483_647, -2_147_483_648];
const FLOATS = [-1.5, 0, 1e300];

/** Odd values of a type, mildest first. */
function odd(type: GraphQLInputType): unknown[] {
  if (isNonNullType(type)) return odd(type.ofType as GraphQLInputType);
  if (isListType(type)) return [[], ...odd(type.ofType as GraphQLInputType).map((value) => [value, value])];
  if (isEnumType(type)) return type.getValues().map(({ value }) => value as unknown);
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return Array.from({ length: 6 }, (_, index) =>
      Object.fromEntries(
        fields.map(({ name, type: inner }) => [name, odd(inner)[(index * 7) % odd(inner).length]] as const),
      ),
    );
  }
  const { name } = getNamedType(type);
  if (name === 'Int') return WHOLE;
  if (name === 'Long') return [...WHOLE, Number.MAX_SAFE_INTEGER, ...FLOATS];
  if (name === 'Float') return FLOATS;
  if (name === 'Boolean') return [true, false];
  if (name === 'JSON')
    return [{}, null, [], { a: { b: '\u0000' } }, 'x', -1, { prompt_tokens: -1, input_tokens: 1e300 }];
  return TEXTS;
}

const selectionOf = (field: GraphQLField<unknown, unknown>): string =>
  isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';

const variants = (args: readonly GraphQLArgument[]): Record<string, unknown>[] => {
  const values = args.map(({ name, type }) => [name, odd(type)] as const);
  const longest = Math.max(0, ...values.map(([, all]) => all.length));
  return Array.from({ length: longest }, (_, index) =>
    Object.fromEntries(values.map(([name, all]) => [name, all[index % all.length]])),
  );
};

const fieldsOf = (type: string): GraphQLField<unknown, unknown>[] =>
  Object.values((SCHEMA.getType(type) as GraphQLObjectType).getFields()).filter(({ args }) => args.length > 0);

it.each([
  ...fieldsOf('Query').map((field) => ['', field] as const),
  ...fieldsOf('Window').map((field) => [WINDOW, field] as const),
  ...fieldsOf('EndUser').map((field) => ['endUser(externalId: "nobody")', field] as const),
])('%s $name', async (parent, field) => {
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const used = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const read = `${field.name}(${used})${selectionOf(field)}`;
  const document = `query (${declared}) { ${parent ? `${parent} { ${read} }` : read} }`;
  for (const variables of variants(field.args)) {
    for (const grants of ['operator', 'reader'] as const) {
      const token = grants === 'operator' ? service.firstRun.operator_token : service.firstRun.live_read_key;
      const organization = grants === 'operator' ? service.firstRun.organization_id : undefined;
      const { status, body } = await graphql(service.url, token, document, variables, organization);
      const codes = (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      const what = JSON.stringify(variables).slice(0, 300);
      expect([status < 500, codes.includes('INTERNAL_SERVER_ERROR')], `${document} ${what}`).toEqual([true, false]);
      expect(
        codes.filter((code: string) => code === 'SERVICE_UNAVAILABLE'),
        `${document} ${what}`,
      ).toEqual([]);
    }
  }
});

const UNSTORABLE = ['a\0b', 'a\ud800b'];

const VALID: Readonly<Record<string, unknown>> = {
  Boolean: true,
  Int: 1,
  Float: 1,
  Long: 1,
  Decimal: '1',
  Instant: '2026-01-01T00:00:00Z',
  JSON: {},
};

/** A valid value, except that it has this text wherever a text may be. */
function withText(type: GraphQLInputType, text: string): unknown {
  if (isNonNullType(type)) return withText(type.ofType as GraphQLInputType, text);
  if (isListType(type)) return [withText(type.ofType as GraphQLInputType, text)];
  if (isEnumType(type)) return type.getValues()[0]!.value as unknown;
  if (isInputObjectType(type))
    return Object.fromEntries(
      Object.values(type.getFields()).map(({ name, type: inner }) => [name, withText(inner, text)]),
    );
  return VALID[getNamedType(type).name] ?? text;
}

it.each(UNSTORABLE)('a mutation refuses the text %j, which the database cannot store', async (text) => {
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  const owner = await signedIn(service.url, service.firstRun);
  const others: unknown[] = [];
  for (const { name, args } of fieldsOf('Mutation')) {
    const input = withText(args[0]!.type, text);
    if (!JSON.stringify(input).includes(JSON.stringify(text).slice(1, -1))) continue;
    const document = `mutation ($input: ${String(args[0]!.type)}) { ${name}(${args[0]!.name}: $input) { userErrors { message } } }`;
    const asked = await graphql(service.url, operator, document, { input }, organization);
    // Some mutations are for people only.
    const body = asked.status === 403 ? await askAs(owner, document, { input }) : asked.body;
    const refusals = [...(body.errors ?? []), ...(body.data?.[name]?.userErrors ?? [])];
    const messages = refusals.map(({ message }: { message: string }) => message);
    if (!messages.some((message) => message.includes('must not contain'))) others.push([name, messages]);
  }
  expect(others).toEqual([]);
});
