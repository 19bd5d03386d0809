import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { deriveSchema, newComponents } from '../../../rest-adapter/openapi/derive-schema.ts';
import { graphql } from '#schema/graphql.ts';
import { defineRoute } from '../../../rest-adapter/route.ts';
import { noParameters } from '../../../rest-adapter/params/parameter.ts';

const api = buildSchema(`
  scalar Decimal
  scalar Instant
  scalar JSON
  enum Colour { RED BLUE }
  type Query { shelf(id: ID!): Shelf! window: Window! bulk: JSON! }
  "A span."
  type Window { "All of them." names: [String!]! }
  "A shelf."
  type Shelf { "What it cost." cost: Decimal "Since when." since: Instant! "How many." count: Int! "Its boxes." boxes: [Box!]! "The lid." lid: Box "In one value." boxList: JSON! "Which." colour: Colour! }
  "A box."
  type Box { "How heavy." weight: Float! "Notes." notes: [String] }
`);

const derive = (document: string, answer: readonly string[], lists: Record<string, string> = {}) => {
  const components = newComponents();
  const schema = deriveSchema(api, components, { document, answer, lists, summary: 'What the route says' });
  return { schema, components: Object.fromEntries(components.schemas) };
};

describe('the shape of a response', () => {
  it('has the names of the document, and types, nulls and descriptions of the graph', () => {
    const { schema, components } = derive(
      'query A { shelf(id: 1) { total_cost: cost since n: count boxes { weight notes } top: lid { weight notes } colour } }',
      ['shelf'],
    );
    expect(schema).toEqual({ $ref: '#/components/schemas/Shelf' });
    expect(components['Shelf']).toEqual({
      type: 'object',
      description: 'A shelf.',
      properties: {
        total_cost: {
          type: ['string', 'null'],
          pattern: expect.any(String),
          examples: ['0.0123'],
          description: 'What it cost.',
        },
        since: { type: 'string', format: 'date-time', description: 'Since when.' },
        n: { type: 'integer', description: 'How many.' },
        boxes: { type: 'array', items: { $ref: '#/components/schemas/Box' }, description: 'Its boxes.' },
        top: { oneOf: [{ $ref: '#/components/schemas/Box' }, { type: 'null' }], description: 'The lid.' },
        colour: { type: 'string', enum: ['RED', 'BLUE'], description: 'Which.' },
      },
      required: ['total_cost', 'since', 'n', 'boxes', 'top', 'colour'],
    });
    expect(components['Box']).toMatchObject({
      properties: { notes: { type: ['array', 'null'], items: { type: ['string', 'null'] } } },
    });
  });

  it('is named after the document if that composes it from the graph or from a window', () => {
    const { schema, components } = derive('query Names { window { values: names } }', ['window']);
    expect(schema).toEqual({ $ref: '#/components/schemas/Names' });
    expect(components['Names']).toMatchObject({ description: 'What the route says', required: ['values'] });
  });

  it('contains the objects of a list that the graph returns as one value', () => {
    const { components } = derive('query A { shelf(id: 1) { items: boxList } }', ['shelf'], {
      items: 'fragment I on Box { kg: weight }',
    });
    expect(components).toMatchObject({
      Shelf: { properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Box' } } } },
      Box: { properties: { kg: { type: 'number' } } },
    });
  });
});

describe('deriving a schema', () => {
  it('fails if two documents would give one name two shapes', () => {
    const components = newComponents();
    deriveSchema(api, components, { document: 'query A { shelf(id: 1) { cost } }', answer: ['shelf'] });
    expect(() =>
      deriveSchema(api, components, { document: 'query B { shelf(id: 1) { count } }', answer: ['shelf'] }),
    ).toThrow(/different fields of the GraphQL type Shelf/);
  });

  it('fails if the path of the response does not exist', () => {
    expect(() => derive('query A { shelf(id: 1) { cost } }', ['shelve'])).toThrow('A has no object at shelve');
  });

  it("in the compiler if a route's example or path does not match its document", () => {
    const common = {
      url: '/x',
      operationId: 'x',
      tag: 'x',
      summary: 'x',
      scope: null,
      errors: [],
      parameters: noParameters,
      tool: 'x',
    } as const;
    const document = graphql('query RegisteredDimensions { dimensions { key } }');
    const never = () => [
      defineRoute({
        ...common,
        document,
        answer: [],
        example: { parameters: {}, response: { dimensions: [{ key: '1' }] } },
      }),
      defineRoute({
        ...common,
        document,
        answer: [],
        // @ts-expect-error -- a member that the document does not select
        example: { parameters: {}, response: { dimensions: [{ key: '1', name: 'n' }] } },
      }),
      defineRoute({
        ...common,
        document,
        answer: ['dimension'],
        // @ts-expect-error -- there is nothing at that path
        example: { parameters: {}, response: { dimensions: [{ key: '1' }] } },
      }),
    ];
    expect(never).toBeTypeOf('function');
  });
});
