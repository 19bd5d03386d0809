/**
 * A field whose scope the caller lacks fails by itself. It is removed from the document before any subgraph is
 * queried, and the response has null and an error at its path.
 */
import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  getOperationAST,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { isIncluded } from './is-included.ts';

/** `Type.field` → reason that the caller may not read it. */
export type DeniedFields = ReadonlyMap<string, string>;

type Path = readonly (string | number)[];
type Values = Readonly<Record<string, unknown>>;

/**
 * Alias of a `__typename` that is requested in a selection that would be empty without the denied fields, or whose type
 * must be known.
 */
const TYPE_NAME = '_deniedTypeName';
const TYPE_NAME_FIELD: FieldNode = {
  kind: Kind.FIELD,
  alias: { kind: Kind.NAME, value: TYPE_NAME },
  name: { kind: Kind.NAME, value: '__typename' },
};

/** The document without the denied fields. */
export function withoutDenied(document: DocumentNode, schema: GraphQLSchema, denied: DeniedFields): DocumentNode {
  const types = new TypeInfo(schema);
  return visit(
    document,
    visitWithTypeInfo(types, {
      Field: (node) => (denied.has(`${types.getParentType()?.name}.${node.name.value}`) ? null : undefined),
      SelectionSet: {
        leave(node) {
          const isKnown = node.selections.length > 0 && !isAbstractType(types.getParentType());
          return isKnown ? undefined : { ...node, selections: [...node.selections, TYPE_NAME_FIELD] };
        },
      },
    }),
  );
}

export interface DeniedAnswer {
  readonly data: Values | null;
  readonly errors: readonly GraphQLError[];
}

export interface DeniedOperation {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variables: Values;
}

/** The response to the whole document, built from the response to the document without the denied fields. */
export function withDenied(
  data: Values,
  operation: DeniedOperation,
  schema: GraphQLSchema,
  denied: DeniedFields,
): DeniedAnswer {
  const node = getOperationAST(operation.document, operation.operationName);
  const root = node && schema.getRootType(node.operation);
  if (!node || !root) return { data, errors: [] };
  const walk = new Restoration(operation, node, schema, denied);
  return { data: walk.object(node.selectionSet, root, data, []), errors: walk.errors };
}

class Restoration {
  readonly errors: GraphQLError[] = [];
  private readonly operation: DeniedOperation;
  private readonly node: OperationDefinitionNode;
  private readonly schema: GraphQLSchema;
  private readonly denied: DeniedFields;

  constructor(operation: DeniedOperation, node: OperationDefinitionNode, schema: GraphQLSchema, denied: DeniedFields) {
    this.operation = operation;
    this.node = node;
    this.schema = schema;
    this.denied = denied;
  }

  /** `null` if a non-null field is denied. */
  object(selectionSet: SelectionSetNode, type: GraphQLNamedType, data: Values, path: Path): Values | null {
    const named = data[TYPE_NAME] ?? data['__typename'];
    const own = typeof named === 'string' ? (this.schema.getType(named) ?? type) : type;
    const restored: Record<string, unknown> = {};
    for (const [name, fields] of this.fieldsOf(selectionSet, own)) {
      const [field] = fields;
      const definition = isObjectType(own) && field ? own.getFields()[field.name.value] : undefined;
      const fieldPath = [...path, name];
      const reason = this.denied.get(`${own.name}.${field?.name.value}`);
      if (reason !== undefined) {
        this.errors.push(new GraphQLError(reason, { path: fieldPath, extensions: { code: 'FORBIDDEN' } }));
        restored[name] = null;
      } else {
        const inner = fields.flatMap((each) => each.selectionSet?.selections ?? []);
        restored[name] =
          definition && inner.length > 0 ? this.value(inner, definition.type, data[name], fieldPath) : data[name];
      }
      if (restored[name] === null && isNonNullType(definition?.type)) return null;
    }
    return restored;
  }

  private value(selections: readonly SelectionNode[], type: GraphQLOutputType, value: unknown, path: Path): unknown {
    if (value === null || value === undefined) return value;
    if (isNonNullType(type)) return this.value(selections, type.ofType, value, path);
    if (isListType(type) && Array.isArray(value)) {
      const { ofType } = type;
      const items = value.map((item: unknown, index) => this.value(selections, ofType, item, [...path, index]));
      return isNonNullType(ofType) && items.includes(null) ? null : items;
    }
    return this.object({ kind: Kind.SELECTION_SET, selections }, getNamedType(type), value as Values, path);
  }

  /** Fields by response name, in response order. */
  private fieldsOf(
    { selections }: SelectionSetNode,
    type: GraphQLNamedType,
    fields = new Map<string, FieldNode[]>(),
  ): ReadonlyMap<string, readonly FieldNode[]> {
    for (const selection of selections) {
      if (!isIncluded(selection, this.node, this.operation.variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value;
        fields.set(name, [...(fields.get(name) ?? []), selection]);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragment(selection.name.value);
      if (fragment && this.isOfType(type, fragment.typeCondition?.name.value))
        this.fieldsOf(fragment.selectionSet, type, fields);
    }
    return fields;
  }

  private fragment(name: string) {
    return this.operation.document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
    ) as Extract<DocumentNode['definitions'][number], { kind: Kind.FRAGMENT_DEFINITION }> | undefined;
  }

  private isOfType(type: GraphQLNamedType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const wanted = this.schema.getType(condition);
    return isObjectType(type) && isAbstractType(wanted) && this.schema.isSubType(wanted, type);
  }
}
