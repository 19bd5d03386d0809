/**
 * The public part of the graph: everything except fields tagged `internal`, and the types that only they use. Internal
 * fields serve our own processes: the feed, the sign-in pages, and lists that `/v1` returns as one value.
 */
import {
  buildASTSchema,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  execute,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  printSchema,
  visit,
} from 'graphql';
import { fail } from '#kernel/errors.ts';
import { rootFields } from './root-fields.ts';

const INTERNAL = 'internal';
const ROOTS = ['Query', 'Mutation'];

/** Tags are read from the supergraph, since the API schema has no directives. */
export function publicSchema(apiSchema: GraphQLSchema, supergraphSdl: string): GraphQLSchema {
  const internal = internalFields(parse(supergraphSdl, { noLocation: true }));
  const { definitions } = visit(parse(printSchema(apiSchema), { noLocation: true }), {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.filter(({ name }) => !internal.has(`${type.name.value}.${name.value}`)),
    }),
  });
  return buildASTSchema({ kind: Kind.DOCUMENT, definitions: withoutUnused(definitions) }, { assumeValid: true });
}

/** As `Type.field`. */
function internalFields({ definitions }: DocumentNode): ReadonlySet<string> {
  return new Set(
    definitions.flatMap((type) =>
      type.kind === Kind.OBJECT_TYPE_DEFINITION
        ? (type.fields ?? [])
            .filter(({ directives = [] }) => directives.some(isInternal))
            .map(({ name }) => `${type.name.value}.${name.value}`)
        : [],
    ),
  );
}

function isInternal({ name, arguments: values = [] }: ConstDirectiveNode): boolean {
  return name.value === 'tag' && values.some(({ value }) => value.kind === Kind.STRING && value.value === INTERNAL);
}

/** Keeps the types that are reachable from the root types. A type that implements a used interface counts as used. */
function withoutUnused(definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const used = new Set(ROOTS);
  const open = new Set(definitions);
  for (let size = -1; size !== used.size;) {
    size = used.size;
    for (const definition of open) {
      const names = typeNames(definition);
      const interfaces = 'interfaces' in definition ? (definition.interfaces ?? []) : [];
      const own = 'name' in definition ? definition.name?.value : undefined;
      const isUsed = own === undefined || used.has(own) || interfaces.some(({ name }) => used.has(name.value));
      if (!isUsed) continue;
      open.delete(definition);
      if (own !== undefined) used.add(own);
      for (const name of names) used.add(name);
    }
  }
  return definitions.filter((definition) => !open.has(definition) || definition.kind === Kind.DIRECTIVE_DEFINITION);
}

function typeNames(definition: DefinitionNode): readonly string[] {
  const names: string[] = [];
  visit(definition, { NamedType: ({ name }) => void names.push(name.value) });
  return names;
}

/** Refuses to mix introspection, which `introspect` answers, with requests for data, which the gateway answers. */
export function refuseMixedIntrospection(document: DocumentNode, operation: OperationDefinitionNode): void {
  if (!rootFields(document, operation).every((name) => name.startsWith('__')))
    fail('VALIDATION_ERROR', 'Introspection cannot be combined with other fields');
}

/** The response to an introspection document. The gateway itself would also show internal fields. */
export function introspect(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variableValues: Record<string, unknown>,
): FormattedExecutionResult<Record<string, unknown>> {
  const operationName = operation.name?.value;
  const { data = null, errors } = execute({
    schema,
    document,
    variableValues,
    operationName,
  }) as ExecutionResult;
  return { data, ...(errors ? { errors: errors.map((error) => error.toJSON()) } : {}) };
}
