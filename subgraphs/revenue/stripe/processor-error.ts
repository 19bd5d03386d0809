/** What can go wrong with the payment processor, in the words that a person is shown. Never holds the key. */

/**
 * `refused`: the key is wrong or may not do this. `missing`: no such object or list. `limited`: asked too often. `unavailable`: down,
 * slow or cut off. `junk`: an answer that is not what it should be.
 */
export type ProcessorErrorKind = 'refused' | 'missing' | 'limited' | 'unavailable' | 'junk';

export class ProcessorError extends Error {
  readonly kind: ProcessorErrorKind;
  /** What the processor asks us to wait, when it says so. */
  readonly retryAfterSeconds: number | null;

  constructor(kind: ProcessorErrorKind, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.name = 'ProcessorFault';
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A single object that is not what it should be: it can be set aside while the rest of its page is taken. */
export class UnreadableObject extends ProcessorError {
  constructor(message: string) {
    super('junk', message);
    this.name = 'UnreadableObject';
  }
}

/** A list that the processor does not have, or that the key may not read where nothing depends on it, is empty. */
export function noneWhenMissing(error: unknown): { objects: readonly unknown[]; more: boolean } {
  if (error instanceof ProcessorError && (error.kind === 'missing' || error.kind === 'refused'))
    return { objects: [], more: false };
  throw error;
}
