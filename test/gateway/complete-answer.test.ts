/** The errors that are added to a subgraph's answer about entities. */
import { buildSchema, parse } from 'graphql';
import { expect, it } from 'vitest';
import { completeAnswer } from '../../gateway/failures/complete-answer.ts';

const schema = buildSchema(`
  directive @join__field(graph: String, requires: String) repeatable on FIELD_DEFINITION
  directive @semanticNonNull on FIELD_DEFINITION
  scalar _Any
  union _Entity = Window
  type Query { window: Window _entities(representations: [_Any!]!): [_Entity]! }
  type Window {
    start: String
    costs: Costs @join__field(graph: "ATTRIBUTION")
    margin: Margin @semanticNonNull @join__field(graph: "REVENUE", requires: "start costs { lines }")
    marginTrend: Trend @semanticNonNull
  }
  type Costs { lines: String }
  type Margin { warnings: String }
  type Trend { points: String }`);
const document = parse(
  'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Window { margin { __typename } marginTrend { __typename } } } }',
);

function errorsOf(entity: object, representation: object): unknown[] {
  const variables = { representations: [{ __typename: 'Window', start: '2026', ...representation }] };
  const { errors = [] } = completeAnswer({ data: { _entities: [entity] } }, { document, variables }, schema);
  return errors.map(({ path, extensions }) => [path?.join('.'), extensions?.['code']]);
}

it('a null without an error gets an error', () => {
  expect(errorsOf({ margin: null, marginTrend: null }, { costs: { lines: 'a' } })).toEqual([
    ['_entities.0.margin', 'INTERNAL_SERVER_ERROR'],
    ['_entities.0.marginTrend', 'INTERNAL_SERVER_ERROR'],
  ]);
});

it.each([{ costs: null }, {}])(
  'a null gets no error if another subgraph did not return what the field requires: %j',
  (representation) => {
    expect(errorsOf({ margin: null, marginTrend: {} }, representation)).toEqual([]);
    expect(errorsOf({ margin: null, marginTrend: null }, representation)).toEqual([
      ['_entities.0.marginTrend', 'INTERNAL_SERVER_ERROR'],
    ]);
  },
);
