/** Members of bodies that ask for a window and the first end users of a list. */
import { count, type ValuesOf, WINDOW, windowOf } from './body.ts';

const FIRST = 100;
const FIRST_MAX = 1_000;

export const END_USERS_OF_WINDOW = {
  ...WINDOW,
  first: count(`Number of end users, at most ${FIRST_MAX}; default: ${FIRST}.`, FIRST_MAX),
};

/** Variables of a query. Fails with `VALIDATION_ERROR` as `windowOf` does. */
export function endUsersOfWindow({ first, ...dates }: ValuesOf<typeof END_USERS_OF_WINDOW>): {
  readonly start: string;
  readonly end: string;
  readonly first: number;
} {
  return { ...windowOf(dates), first: first ?? FIRST };
}
