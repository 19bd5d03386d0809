/**
 * Derives the shape of a response from its document and the graph's schema: names from the document's aliases, types,
 * nullability and descriptions from the schema. Objects become named components.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import type { JsonSchema } from '../json-schema.ts';
import { type Refinement, REFINEMENTS } from './refinements.ts';

export interface Components {
  /** Named schemas so far. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** Returns a reference to the component of this name. Throws if another shape has the name. */
  add(name: string, schema: JsonSchema): JsonSchema;
  /** Refinement of a field of the graph, if any. */
  refine(coordinate: string): Refinement | undefined;
  /** Refinements that applied to no response. */
  unmet(): readonly string[];
}

export interface AnswerOf {
  readonly document: string;
  readonly answer: readonly string[];
  readonly lists?: Readonly<Record<string, string>>;
  /** Description of a response that the document itself composes. */
  readonly summary?: string;
  /** Fields that never reach the client. */
  readonly leftOut?: readonly string[];
  /** Nulls are omitted from the response, so nothing in it is null. */
  readonly isWhole?: boolean;
}

export function newComponents(): Components {
  const schemas = new Map<string, JsonSchema>();
  const met = new Set<string>();
  return {
    schemas,
    add(name, schema) {
      const known = schemas.get(name);
      if (known && JSON.stringify(known) !== JSON.stringify(schema))
        throw new Error(
          `Two documents of REST endpoints select different fields of the GraphQL type ${name}, which is one schema in OpenAPI: select the same fields with the same aliases in all of them (search for ${name} in rest-adapter/), or expose the fields on another type`,
        );
      schemas.set(name, schema);
      return { $ref: `#/components/schemas/${name}` };
    },
    refine(coordinate) {
      met.add(coordinate);
      return REFINEMENTS[coordinate];
    },
    unmet: () => Object.keys(REFINEMENTS).filter((coordinate) => !met.has(coordinate)),
  };
}

/**
 * Returns a reference to the named schema of a response. Throws if the response's path or a list does not match the
 * document.
 */
export function deriveSchema(api: GraphQLSchema, components: Components, answerOf: AnswerOf): JsonSchema {
  const operation = parse(answerOf.document).definitions[0] as OperationDefinitionNode;
  const name = operation.name?.value ?? '';
  let type = (operation.operation === 'query' ? api.getQueryType() : api.getMutationType())!;
  let selectionSet = operation.selectionSet;
  for (const step of answerOf.answer) {
    const node = fieldsOf(selectionSet).find((field) => responseName(field) === step);
    const next = node && getNamedType(type.getFields()[node.name.value]!.type);
    if (!node?.selectionSet || !isObjectType(next))
      throw new Error(`${name} has no object at ${answerOf.answer.join('.')}`);
    [type, selectionSet] = [next, node.selectionSet];
  }
  const deriver = derive(api, components, answerOf);
  // A response composed from the whole graph or from a window is named after the document.
  return isGathering(type, api)
    ? deriver.object(type, selectionSet, { name, description: answerOf.summary ?? '' })
    : deriver.object(type, selectionSet);
}

function derive(api: GraphQLSchema, components: Components, { lists = {}, leftOut = [], isWhole = false }: AnswerOf) {
  const object = (
    type: GraphQLObjectType,
    selectionSet: SelectionSetNode,
    named = { name: type.name, description: type.description ?? '' },
  ): JsonSchema => {
    const nodes = fieldsOf(selectionSet).filter((node) => !leftOut.includes(responseName(node)));
    const properties = Object.fromEntries(nodes.map((node) => [responseName(node), property(type, node)]));
    const required = nodes.filter((node) => !components.refine(coordinateOf(type, node))?.optional).map(responseName);
    return components.add(named.name, { type: 'object', description: named.description, properties, required });
  };

  const property = (parent: GraphQLObjectType, node: FieldNode): JsonSchema => {
    const field = parent.getFields()[node.name.value]!;
    const { notNull = isWhole, optional: _, ...narrowing } = components.refine(coordinateOf(parent, node)) ?? {};
    const fragment = lists[responseName(node)];
    const schema =
      fragment === undefined
        ? typed(notNull ? getNullableType(field.type) : field.type, node, notNull)
        : { type: 'array', items: listed(fragment) };
    return { ...schema, description: field.description ?? '', ...narrowing };
  };

  const typed = (type: GraphQLOutputType, node: FieldNode, isNotNull = false): JsonSchema => {
    if (isNonNullType(type)) return typed(type.ofType as GraphQLOutputType, node, true);
    const schema = nullableSchema(type, node);
    if (isNotNull) return schema;
    if (schema['$ref'] !== undefined) return { oneOf: [schema, { type: 'null' }] };
    return {
      ...schema,
      type: [schema['type'], 'null'],
      ...(isEnumType(type) ? { enum: [...type.getValues().map(({ name }) => name), null] } : {}),
    };
  };

  const nullableSchema = (type: GraphQLOutputType, node: FieldNode): JsonSchema => {
    if (isListType(type)) return { type: 'array', items: typed(type.ofType as GraphQLOutputType, node) };
    if (isObjectType(type)) return object(type, node.selectionSet!);
    if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
    const scalar = SCALARS[getNamedType(type).name];
    if (!scalar) throw new Error(`The scalar ${getNamedType(type).name} has no REST format`);
    return scalar;
  };

  const listed = (text: string): JsonSchema => {
    const { typeCondition, selectionSet } = parse(text).definitions[0] as FragmentDefinitionNode;
    return object(api.getType(typeCondition.name.value) as GraphQLObjectType, selectionSet);
  };

  return { object };
}

/** REST formats of the graph's scalars. Money is an exact decimal string, never a JSON number. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer' },
  Long: { type: 'integer' },
  Float: { type: 'number', format: 'double' },
  Decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', examples: ['0.0123'] },
  Instant: { type: 'string', format: 'date-time' },
  JSON: {},
};

function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.map((selection) => {
    if (selection.kind !== 'Field') throw new Error('A REST document must list its fields without fragments');
    return selection;
  });
}

function responseName({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

function coordinateOf(type: GraphQLObjectType, { name }: FieldNode): string {
  return `${type.name}.${name.value}`;
}

function isGathering(type: GraphQLObjectType, api: GraphQLSchema): boolean {
  return type === api.getQueryType() || type === api.getMutationType() || type.name === 'Window';
}
