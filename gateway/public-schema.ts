/**
 * What other people see of the graph: all but the lists that the REST adapter alone asks for, whole and as JSON. Those exist because its
 * answers have a thousand rows of a form that is given; a client of the graph pages through the connection that the field names.
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
import { fail } from '../schema/errors.ts';
import { rootFields } from './root-fields.ts';

/** How a field says so, as the reason of its deprecation. */
const ADAPTER_ALONE = 'For the REST adapter alone: ';

const publicSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** Made when somebody first looks. */
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

/** Refuses to mix questions of the schema, which `introspect` answers, with questions for data, which the gateway answers. */
export function refuseMixedIntrospection(document: DocumentNode, operation: OperationDefinitionNode): void {
  if (!rootFields(document, operation).every((name) => name.startsWith('__')))
    fail('VALIDATION_ERROR', 'Ask of the schema in a document of its own');
}

/** The answer to a document that asks of the schema. The gateway would show what its own callers ask for. */
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
