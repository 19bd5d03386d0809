/** The resources that a token can be asked for (RFC 8707). */

/** `resources` are our own URLs; a slash at the end makes no difference. */
export function isOurResource(requested: string, resources: readonly string[]): boolean {
  return resources.includes(requested.replace(/\/$/, ''));
}
