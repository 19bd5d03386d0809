/** Returns errors that a user can correct as data of a mutation's payload (decision 47). */
import { type ErrorCode, KnownError } from '#kernel/errors.ts';
import type { GraphQLResolveInfo } from 'graphql';
import type { SubgraphContext } from './context.ts';
import { requireStorableInput } from './require-storable-input.ts';

const USER_ERRORS = ['VALIDATION_ERROR', 'NOT_FOUND', 'UNPROCESSABLE_ENTITY'] as const satisfies readonly ErrorCode[];

interface UserError {
  /** Path of the argument concerned; `null` if none. */
  readonly field: string[] | null;
  readonly message: string;
  readonly code: (typeof USER_ERRORS)[number];
}

interface UserErrors {
  readonly userErrors: UserError[];
}

type Resolve<Source, Arguments, Result> = (
  source: Source,
  args: Arguments,
  context: SubgraphContext,
  info: GraphQLResolveInfo,
) => Promise<Result>;

/**
 * Wraps a resolver that throws: returns its result under `name`, or null with `userErrors`. Authorization errors,
 * limits and outages remain GraphQL errors, because changing arguments would not help.
 */
export function withUserErrors<Name extends string, Source, Arguments extends object, Changed>(
  name: Name,
  resolve: Resolve<Source, Arguments, Changed>,
): Resolve<Source, Arguments, Record<Name, Changed | null> & UserErrors> {
  const named = (changed: Changed | null) => ({ [name]: changed }) as Record<Name, Changed | null>;
  return withChangeAndUserErrors(named(null), async (source: Source, args: Arguments, context, info) =>
    named(await resolve(source, args, context, info)),
  );
}

/**
 * Like `withUserErrors`, for payloads with several fields; `unchanged` is the payload if there are user errors. Text
 * that the database cannot store is one.
 */
export function withChangeAndUserErrors<
  Source,
  Arguments extends object,
  Unchanged extends object,
  Change extends object,
>(
  unchanged: Unchanged,
  resolve: Resolve<Source, Arguments, Change>,
): Resolve<Source, Arguments, (Change | Unchanged) & UserErrors> {
  return async (source, args, context, info) => {
    try {
      requireStorableInput(info, args);
      return { ...(await resolve(source, args, context, info)), userErrors: [] };
    } catch (error) {
      const code = error instanceof KnownError ? USER_ERRORS.find((one) => one === error.code) : undefined;
      if (code === undefined) throw error;
      const { message, details } = error as KnownError;
      return { ...unchanged, userErrors: [{ field: fieldOf(message, details, args), message, code }] };
    }
  };
}

/** The field that the operation names, or the field of the input with which the message starts. */
function fieldOf(message: string, details: Readonly<Record<string, unknown>>, input: object): string[] | null {
  const { field } = details;
  if (typeof field === 'string') return ['input', field];
  const [first = ''] = message.split(/[^A-Za-z]/, 1);
  return Object.hasOwn(input, first) ? ['input', first] : null;
}

/** Mutation resolvers that take the fields of `input` as their arguments. */
export type InputResolvers<Mutations> = {
  [Name in keyof Mutations]: Extract<Mutations[Name], (...args: never) => unknown> extends (
    source: infer Source,
    args: infer Arguments,
    context: infer Context,
    info: GraphQLResolveInfo,
  ) => infer Result
    ? (
        source: Source,
        input: Arguments extends { input: infer Input } ? Input : Arguments,
        context: Context,
        info: GraphQLResolveInfo,
      ) => Result
    : Mutations[Name];
};

/** Mutations have one argument, `input` (decision 47); internal ones have several. */
export function takeInput<Mutations extends object>(resolvers: InputResolvers<Mutations>): Mutations {
  return Object.fromEntries(
    Object.entries(resolvers as Record<string, Resolve<unknown, object, unknown>>).map(([name, resolve]) => [
      name,
      (source: unknown, args: { readonly input?: object }, context: SubgraphContext, info: GraphQLResolveInfo) =>
        resolve(source, args.input ?? args, context, info),
    ]),
  ) as Mutations;
}
