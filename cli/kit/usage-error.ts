/** The command was typed wrongly: exit code 2. */
export class UsageError extends Error {}
