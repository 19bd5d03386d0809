/**
 * The public part of the graph: everything except lists that only the REST adapter requests, whole and as JSON. They
 * exist because REST responses have a thousand rows of a fixed form. Clients of the graph page through the connection
 * that the field names.
 */
import {
  buildASTSchema,
  type DocumentNode,
  execute,
  type ExecutionResult,
  type FormattedExecutionResult,
  getNamedType,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  printSchema,
  type ValidationRule,
  visit,
} from 'graphql';
import { fail } from '#schema/errors.ts';
import { rootFields } from './root-fields.ts';

/** Marks such a field, in the reason of its deprecation. */
const ADAPTER_ALONE = 'For the REST adapter alone: ';

const publicSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** Built on first use. */
export function publicSchema(schema: GraphQLSchema): GraphQLSchema {
  const known = publicSchemas.get(schema);
  if (known) return known;
  const made = buildASTSchema(
    visit(parse(printSchema(schema), { noLocation: true }), {
      FieldDefinition: ({ directives }) =>
        directives?.some(({ arguments: reasons = [] }) =>
          reasons.some(({ value }) => value.kind === Kind.STRING && value.value.startsWith(ADAPTER_ALONE)),
        )
          ? null
          : undefined,
    }),
    { assumeValid: true },
  );
  publicSchemas.set(schema, made);
  return made;
}

export const refuseAdapterLists: ValidationRule = (context) => ({
  Field(node) {
    const reason = context.getFieldDef()?.deprecationReason;
    if (!reason?.startsWith(ADAPTER_ALONE)) return;
    const type = context.getParentType();
    const instead = reason.slice(ADAPTER_ALONE.length);
    context.reportError(
      new GraphQLError(
        `Cannot query field "${node.name.value}" on type "${type && getNamedType(type).name}": ${instead}`,
        {
          nodes: node,
        },
      ),
    );
  },
});

/** Refuses to mix introspection, which `introspect` answers, with requests for data, which the gateway answers. */
export function refuseMixedIntrospection(document: DocumentNode, operation: OperationDefinitionNode): void {
  if (!rootFields(document, operation).every((name) => name.startsWith('__')))
    fail('VALIDATION_ERROR', 'Ask of the schema in a document of its own');
}

/** The response to an introspection document. The gateway itself would also show what its internal callers use. */
export function introspect(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variableValues: Record<string, unknown>,
): FormattedExecutionResult<Record<string, unknown>> {
  const operationName = operation.name?.value;
  const { data = null, errors } = execute({
    schema: publicSchema(schema),
    document,
    variableValues,
    operationName,
  }) as ExecutionResult;
  return { data, ...(errors ? { errors: errors.map((error) => error.toJSON()) } : {}) };
}
