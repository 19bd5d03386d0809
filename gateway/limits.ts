/** Size limits of external operations. Our own documents bypass them. */
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  GraphQLError,
  type ParseOptions,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity';
import { recordRefusal } from '#platform/metrics.ts';
import { fail } from '#kernel/errors.ts';

/**
 * Maximum number of tokens that the parser reads. GraphiQL's introspection has 184, and the largest document of our
 * own pages and commands 114. The work of validation and planning grows quadratically. At 2,000 tokens the worst known
 * documents take tens of milliseconds, at 4,000 more than a hundred.
 */
const TOKENS_MAX = 2_000;

const DEPTH_MAX = 12;
const ALIASES_MAX = 30;
/** A field costs 1; a list costs its children times its size. */
const COMPLEXITY_MAX = 60_000;
const NODES_MAX = 5_000;

/** Assumed size of a list whose length the caller cannot choose. */
const UNBOUNDED_LIST_SIZE = 10;

/** Reports a rejection like any other document error; by default the library throws it past the validation. */
const reported = {
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
};

export const parseOptions: ParseOptions = { maxTokens: TOKENS_MAX };

/** True if the parser gave up; graphql-js has no code for this. */
export function isTooLong({ message }: GraphQLError): boolean {
  return message.includes(`${TOKENS_MAX} tokens`);
}

export const limitRules: ValidationRule[] = [
  maxDepthRule({ n: DEPTH_MAX, ignoreIntrospection: true, ...reported }),
  maxAliasesRule({ n: ALIASES_MAX, ...reported }),
];

/**
 * A page's list is one level below the field with `limit` or `first`, where it is counted as an unbounded list. All
 * levels of a tree share its nodes, so they are counted once, at the root.
 */
const estimate: ComplexityEstimator = ({ args, childComplexity, field, type }) => {
  const bound: unknown = args['limit'] ?? args['first'];
  const isList = String(field.type).startsWith('[');
  if (typeof bound === 'number')
    return 1 + Math.max(isList ? bound : Math.ceil(bound / UNBOUNDED_LIST_SIZE), 1) * childComplexity;
  return 1 + (isList && getNamedType(field.type) !== type ? UNBOUNDED_LIST_SIZE : 1) * childComplexity;
};

/**
 * Fails with `VALIDATION_ERROR` if an operation requests too much at once. Throws Apollo's `BAD_USER_INPUT` for
 * invalid variables.
 */
export function limitComplexity(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  operationName?: string,
): void {
  const complexity = complexityOf(schema, document, variables, operationName);
  if (complexity <= COMPLEXITY_MAX) return;
  recordRefusal('graph_complexity');
  fail(
    'VALIDATION_ERROR',
    `The operation is too complex: ${complexity} of at most ${COMPLEXITY_MAX}. Request fewer fields or smaller pages`,
  );
}

/** An operation that cannot be estimated has invalid variables, which Apollo would detect only later. */
function complexityOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  operationName?: string,
): number {
  try {
    return getComplexity({
      schema,
      query: document,
      variables,
      estimators: [estimate],
      maxQueryNodes: NODES_MAX,
      ...(operationName ? { operationName } : {}),
    });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, {
      nodes: error.nodes ?? null,
      extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
    });
  }
}
