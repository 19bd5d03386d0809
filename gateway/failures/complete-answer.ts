/**
 * Adds an error at the path of every requested field that a subgraph did not return. An unavailable subgraph reports
 * no paths. A third-party subgraph may return anything: too few entities, a wrong type, errors without a path.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFormattedError,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { AWAY_MESSAGE } from '#platform/unavailability.ts';
import type { GraphQLAnswer } from '#platform/transports/subgraph-transport.ts';
import { isIncluded } from './is-included.ts';
import { requiredFields } from './required-fields.ts';
import { isValidLeaf } from './valid-leaf.ts';

export interface SubgraphRequest {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

type Path = readonly (string | number)[];
type Values = Record<string, unknown>;

const ENTITIES = '_entities';
const NO_ANSWER: GraphQLFormattedError = { message: AWAY_MESSAGE, extensions: { code: 'SERVICE_UNAVAILABLE' } };
/** The subgraph is at fault, so a retry does not help. */
const NO_VALUE: GraphQLFormattedError = {
  message: 'Internal server error',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
};

/**
 * `schema`: the supergraph's, including `@inaccessible` fields. Invalid values are set to null in `answer.data` itself.
 */
export function completeAnswer(answer: GraphQLAnswer, request: SubgraphRequest, schema: GraphQLSchema): GraphQLAnswer {
  const completion = new Completion(answer, request, schema);
  const data = completion.root(answer.data ?? {});
  const errors = completion.allErrors();
  return errors.length > 0 ? { data, errors } : { data };
}

/** Treats a response without errors and without any requested field as if the subgraph were unavailable. */
export function orNoAnswer(answer: GraphQLAnswer, document: DocumentNode): GraphQLAnswer {
  const { data, errors } = answer;
  const requested = operationOf(document)?.selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD);
  if (errors || requested?.some((field) => data?.[responseName(field)] !== undefined)) return answer;
  return { errors: [NO_ANSWER] };
}

class Completion {
  private readonly added: GraphQLFormattedError[] = [];
  /** Errors already added at the more specific paths of the fields that they affect. */
  private readonly placed = new Set<GraphQLFormattedError>();
  /** Paths of errors and all their ancestors: a null at one of these already has its error. */
  private readonly covered = new Set<string>();
  private readonly withPath: readonly GraphQLFormattedError[];
  private readonly withoutPath: readonly GraphQLFormattedError[];
  /** Cause of null fields without their own error. */
  private cause: GraphQLFormattedError | undefined;
  private readonly request: SubgraphRequest;
  private readonly schema: GraphQLSchema;
  private readonly operation: OperationDefinitionNode | undefined;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor({ data, errors = [] }: GraphQLAnswer, request: SubgraphRequest, schema: GraphQLSchema) {
    this.request = request;
    this.schema = schema;
    this.operation = operationOf(request.document);
    this.withPath = errors.filter(({ path }) => path);
    this.withoutPath = errors.filter(({ path }) => !path);
    for (const { path = [] } of this.withPath)
      for (let length = 1; length <= path.length; length++) this.covered.add(keyOf(path.slice(0, length)));
    this.cause = this.withoutPath[0] ?? (data ? undefined : errors[0]);
    this.fragments = new Map(
      request.document.definitions.flatMap((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
      ),
    );
  }

  root(data: Values): Values {
    const { operation } = this;
    const type = operation && this.schema.getRootType(operation.operation);
    if (!operation || !type) return data;
    for (const field of this.fieldsOf(operation.selectionSet, type.name)) {
      if (field.name.value === ENTITIES) data[responseName(field)] = this.entities(field, data[responseName(field)]);
      else this.field(field, type.name, data, []);
    }
    return data;
  }

  allErrors(): readonly GraphQLFormattedError[] {
    const left = [...this.withPath, ...this.withoutPath].filter((error) => !this.placed.has(error));
    const path = this.added[0]?.path;
    return [...left.map((error) => (error.path || !path ? error : { ...error, path })), ...this.added];
  }

  /** Completes the entities of a response: one per representation, null for a lost one. */
  private entities(field: FieldNode, value: unknown): unknown[] {
    const representations = (this.request.variables['representations'] ?? []) as readonly Values[];
    const path = [responseName(field)];
    const isComplete = Array.isArray(value) && value.length === representations.length;
    if (!isComplete) this.cause ??= this.withPath.find((error) => error.path?.length === 1) ?? NO_ANSWER;
    return representations.map((representation, index) => {
      const entity: unknown = isComplete ? value[index] : undefined;
      return this.entity(field, representation, entity, [...path, index]);
    });
  }

  private entity(field: FieldNode, representation: Values, value: unknown, path: Path): unknown {
    const type = String(representation['__typename']);
    if (isObject(value)) return this.object(field, type, value, path, representation);
    const own = this.withPath.find((error) => keyOf(error.path ?? []) === keyOf(path));
    // A subgraph may return null for an entity that it does not know.
    const error = own ?? this.cause ?? (value === null ? undefined : NO_VALUE);
    if (error)
      for (const lost of field.selectionSet ? this.fieldsOf(field.selectionSet, type) : [])
        if (lost.name.value !== '__typename') this.add(error, [...path, responseName(lost)]);
    return null;
  }

  private object(field: FieldNode, type: string, value: Values, path: Path, representation?: Values): Values {
    const fields = field.selectionSet ? this.fieldsOf(field.selectionSet, type, value['__typename']) : [];
    for (const each of fields) this.field(each, type, value, path, representation);
    return value;
  }

  private field(field: FieldNode, typeName: string, parent: Values, before: Path, representation?: Values): void {
    if (field.name.value === '__typename') return;
    const name = responseName(field);
    const type = this.fieldOf(typeName, field.name.value)?.type;
    const path = [...before, name];
    const value = parent[name];
    if (type === undefined && value !== undefined) return;
    // The subgraph that failed to return the required fields reports the error.
    if (value === null && this.lacksRequired(typeName, field, representation)) return;
    parent[name] = this.value(field, type, value, path, this.isNeverNull(typeName, field));
  }

  private value(
    field: FieldNode,
    type: GraphQLOutputType | undefined,
    value: unknown,
    path: Path,
    isNeverNull: boolean,
  ): unknown {
    if (isNonNullType(type)) return this.value(field, type.ofType, value, path, true);
    if (value === null || value === undefined) {
      const error = this.cause ?? (value === undefined || isNeverNull ? NO_VALUE : undefined);
      if (error && !this.covered.has(keyOf(path))) this.add(error, path);
      return null;
    }
    if (isListType(type)) {
      if (!Array.isArray(value)) return this.lose(path);
      const ofType = type.ofType as GraphQLOutputType;
      value.forEach((item: unknown, index) => {
        value[index] = this.value(field, ofType, item, [...path, index], false);
      });
      return value;
    }
    if (isLeafType(type)) return isValidLeaf(type, value) ? value : this.lose(path);
    if (!isObject(value)) return this.lose(path);
    const named = value['__typename'];
    return type
      ? this.object(field, typeof named === 'string' && this.schema.getType(named) ? named : type.name, value, path)
      : value;
  }

  private lose(path: Path): null {
    this.add(NO_VALUE, path);
    return null;
  }

  private add(error: GraphQLFormattedError, path: Path): void {
    if (!error.path || isOfEntity(error.path)) this.placed.add(error);
    this.added.push({ ...error, path });
  }

  private fieldOf(typeName: string, name: string): GraphQLField<unknown, unknown> | undefined {
    const type = this.schema.getType(typeName);
    return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  }

  /** True for fields that are never null, and for those that are null only along with an error. */
  private isNeverNull(typeName: string, field: FieldNode): boolean {
    const found = this.fieldOf(typeName, field.name.value);
    return (
      isNonNullType(found?.type) ||
      (found?.astNode?.directives ?? []).some(({ name }) => name.value === 'semanticNonNull')
    );
  }

  /** True if another subgraph did not return a field that this one requires (`@requires`). */
  private lacksRequired(typeName: string, { name }: FieldNode, representation?: Values): boolean {
    const found = this.fieldOf(typeName, name.value);
    if (!representation || !found) return false;
    return requiredFields(found).some((required) => representation[required] == null);
  }

  /** Fields requested from an object of this type. */
  private fieldsOf({ selections }: SelectionSetNode, typeName: string, named: unknown = typeName): FieldNode[] {
    return selections.flatMap((selection) => {
      if (!isIncluded(selection, this.operation, this.request.variables)) return [];
      if (selection.kind === Kind.FIELD) return [selection];
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments.get(selection.name.value);
      if (!fragment) return [];
      const condition = fragment.typeCondition?.name.value;
      return condition === undefined || this.isOfType(typeName, condition) || named === condition
        ? this.fieldsOf(fragment.selectionSet, typeName, named)
        : [];
    });
  }

  private isOfType(typeName: string, condition: string): boolean {
    if (typeName === condition) return true;
    const [type, wanted] = [this.schema.getType(typeName), this.schema.getType(condition)];
    return isObjectType(type) && isAbstractType(wanted) && this.schema.isSubType(wanted, type);
  }
}

function operationOf({ definitions }: DocumentNode): OperationDefinitionNode | undefined {
  return definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

function responseName({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

function isOfEntity(path: Path): boolean {
  return path[0] === ENTITIES && path.length <= 2;
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
