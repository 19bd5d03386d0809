/** A startup error that the operator can fix. Its message is sufficient; the stack is not printed. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StartError';
  }
}
