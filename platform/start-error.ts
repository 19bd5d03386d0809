/** The start cannot go on, for a reason that the operator can remove: its message says all, a stack would hide it. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StartError';
  }
}
