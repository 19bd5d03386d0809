/** The errors of an executed query plan, all of them GraphQL's: Apollo also gives plain ones, and tells of values that do not fit elsewhere. */
import { GraphQLError } from 'graphql';

interface ExecutedPlan {
  readonly errors?: readonly Error[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

export function executionErrors({ errors = [], extensions }: ExecutedPlan): readonly GraphQLError[] {
  const misfits = (extensions?.['valueCompletion'] ?? []) as readonly GraphQLError[];
  return [
    ...errors.map((error) =>
      error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error }),
    ),
    // The code is Apollo's own, for a document.
    ...misfits.map(({ message, path }) => new GraphQLError(message, { path, originalError: new Error(message) })),
  ];
}
