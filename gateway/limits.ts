/** How large somebody else's operation may be. Our own documents do not pass here. */
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { type DocumentNode, type GraphQLSchema, getNamedType, GraphQLError, type ValidationContext, type ValidationRule } from 'graphql';
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity';

const DEPTH_MAX = 12;
const ALIASES_MAX = 30;
/** A field costs 1, a list its children times its size. */
const COMPLEXITY_MAX = 60_000;
const NODES_MAX = 5_000;

/** Fields of a list whose length the caller cannot choose count this often. */
const UNBOUNDED_LIST_SIZE = 10;

/** A rejection is reported like any other fault of a document; by default the library throws it past the validation. */
const reported = {
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
};

export const limitRules: ValidationRule[] = [
  maxDepthRule({ n: DEPTH_MAX, ignoreIntrospection: true, ...reported }),
  maxAliasesRule({ n: ALIASES_MAX, ...reported }),
];

/**
 * The list of a page lies one level below the field that takes its `limit`, and has counted as an unbounded one there.
 * All levels of a tree share its nodes: they count once, where the tree begins.
 */
const estimate: ComplexityEstimator = ({ args, childComplexity, field, type }) => {
  const bound: unknown = args['limit'];
  const isList = String(field.type).startsWith('[');
  if (typeof bound === 'number') return 1 + Math.max(isList ? bound : Math.ceil(bound / UNBOUNDED_LIST_SIZE), 1) * childComplexity;
  return 1 + (isList && getNamedType(field.type) !== type ? UNBOUNDED_LIST_SIZE : 1) * childComplexity;
};

/** Throws a `VALIDATION_ERROR` for an operation that asks for too much at once. */
export function limitComplexity(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown>, operationName?: string): void {
  const complexity = getComplexity({
    schema, query: document, variables, estimators: [estimate], maxQueryNodes: NODES_MAX, ...(operationName ? { operationName } : {}),
  });
  if (complexity <= COMPLEXITY_MAX) return;
  throw new GraphQLError(`The operation is too complex: ${complexity} of at most ${COMPLEXITY_MAX}. Ask for fewer fields or smaller pages`, {
    extensions: { code: 'VALIDATION_ERROR' },
  });
}
