/** Checks the resource that a token is requested for (RFC 8707). */

/** `resources` are our own URLs; a trailing slash is ignored. */
export function isOurResource(requested: string, resources: readonly string[]): boolean {
  return resources.includes(requested.replace(/\/$/, ''));
}
