/**
 * The shape of an answer, derived from its document and the graph's schema: names as the document's aliases write them, types and
 * nulls as the schema says, and its descriptions. Objects become named components.
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
  /** A reference to the component of this name. Throws when another shape has the name. */
  add(name: string, schema: JsonSchema): JsonSchema;
  /** The narrowing of a field of the graph, when there is one. */
  refine(coordinate: string): Refinement | undefined;
  /** Narrowings that no answer has met. */
  unmet(): readonly string[];
}

export interface AnswerOf {
  readonly document: string;
  readonly answer: readonly string[];
  readonly lists?: Readonly<Record<string, string>>;
  /** Of an answer that the document itself puts together: its description. */
  readonly summary?: string;
  /** Fields that never reach the client. */
  readonly leftOut?: readonly string[];
  /** Nulls are left out of the answer, and of this one nothing is null. */
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
        throw new Error(`Two documents ask for different fields of ${name}: they cannot be one named schema`);
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

/** A reference to the named schema of an answer. Throws where the path of the answer or a list does not fit the document. */
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
  // What the document gathers from the whole graph or from a window is named for the document.
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
    if (!scalar) throw new Error(`The scalar ${getNamedType(type).name} has no form in REST`);
    return scalar;
  };

  const listed = (text: string): JsonSchema => {
    const { typeCondition, selectionSet } = parse(text).definitions[0] as FragmentDefinitionNode;
    return object(api.getType(typeCondition.name.value) as GraphQLObjectType, selectionSet);
  };

  return { object };
}

/** The scalars of the graph as REST writes them. Money is an exact decimal string, never a JSON number. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer' },
  Float: { type: 'number', format: 'double' },
  Decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', examples: ['0.0123'] },
  Instant: { type: 'string', format: 'date-time' },
  JSON: {},
};

function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.map((selection) => {
    if (selection.kind !== 'Field')
      throw new Error('A REST document names its fields one by one: write no fragment in it');
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
