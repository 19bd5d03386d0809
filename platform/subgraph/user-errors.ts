/** Mutations of internal UIs answer what a person can put right as data, next to what was changed (decision 47). */
import { type ErrorCode, KnownError } from '../../schema/errors.ts';
import type { SubgraphContext } from './context.ts';

const USER_ERRORS = ['VALIDATION_ERROR', 'NOT_FOUND', 'UNPROCESSABLE_ENTITY'] as const satisfies readonly ErrorCode[];

interface UserError {
  /** Path of the argument that it is about; `null`: it is about none. */
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
 * Makes a mutation's resolver of one that fails: its result under `name`, or null and why. Refusals of the credential, limits and
 * outages stay errors of the request, for no other argument would help.
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

/** The same where a payload tells more of a change than one object: `unchanged` is what it tells where there are user errors. */
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

/** As the operation says it; else the argument with which the message begins. */
function fieldOf(message: string, details: Readonly<Record<string, unknown>>, args: object): string[] | null {
  const { field } = details;
  if (typeof field === 'string') return [field];
  const [first = ''] = message.split(/[^A-Za-z]/, 1);
  if (Object.hasOwn(args, first)) return [first];
  const { input } = args as { input?: unknown };
  return typeof input === 'object' && input !== null && Object.hasOwn(input, first) ? ['input', first] : null;
}
