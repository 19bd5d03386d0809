/** The command was not typed as it must be: exit code 2. */
export class UsageError extends Error {}
