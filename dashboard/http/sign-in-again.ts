/** Link to a new sign-in and back, shown next to a refusal that requires a recent sign-in. */
import type { KnownError } from '#kernel/errors.ts';
import { html, type Html } from '../shell/html.ts';
import { signInPath } from './sign-in-path.ts';

/** `path`: a page of this service. */
export function signInAgain(
  error: Pick<KnownError, 'message' | 'details'> | null | undefined,
  path: string,
): Html | false {
  return (
    error?.details['actionHint'] === 'SIGN_IN_AGAIN' &&
    html`<p><a class="button" href="${signInPath(path, true)}">Sign in again</a></p>`
  );
}
