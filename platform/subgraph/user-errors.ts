/** Returns errors that a user can correct as data of a mutation's payload (decision 47). */
import { type ErrorCode, KnownError } from '#schema/errors.ts';
import type { SubgraphContext } from './context.ts';

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
  return withChangeAndUserErrors(named(null), async (source: Source, args: Arguments, context: SubgraphContext) =>
    named(await resolve(source, args, context)),
  );
}

/** Like `withUserErrors`, for payloads with several fields; `unchanged` is the payload if there are user errors. */
export function withChangeAndUserErrors<
  Source,
  Arguments extends object,
  Unchanged extends object,
  Change extends object,
>(
  unchanged: Unchanged,
  resolve: Resolve<Source, Arguments, Change>,
): Resolve<Source, Arguments, (Change | Unchanged) & UserErrors> {
  return async (source, args, context) => {
    try {
      return { ...(await resolve(source, args, context)), userErrors: [] };
    } catch (error) {
      const code = error instanceof KnownError ? USER_ERRORS.find((one) => one === error.code) : undefined;
      if (code === undefined) throw error;
      const { message, details } = error as KnownError;
      return { ...unchanged, userErrors: [{ field: fieldOf(message, details, args), message, code }] };
    }
  };
}

/** As set by the operation, or the argument with which the message starts. */
function fieldOf(message: string, details: Readonly<Record<string, unknown>>, args: object): string[] | null {
  const { field } = details;
  if (typeof field === 'string') return [field];
  const [first = ''] = message.split(/[^A-Za-z]/, 1);
  if (Object.hasOwn(args, first)) return [first];
  const { input } = args as { input?: unknown };
  return typeof input === 'object' && input !== null && Object.hasOwn(input, first) ? ['input', first] : null;
}
