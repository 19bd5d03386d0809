/** Path to the sign-in page, which returns to a page of this service. */

/** `next` is a path with its query. */
export function signInPath(next: string, isAgain = false): string {
  const query = new URLSearchParams({
    ...(next === '/' ? {} : { next }),
    ...(isAgain ? { again: 'yes' } : {}),
  }).toString();
  return query === '' ? '/sign-in' : `/sign-in?${query}`;
}
