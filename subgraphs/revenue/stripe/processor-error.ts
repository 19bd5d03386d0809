/** Errors of the payment processor, with messages for users that never contain the key. */

/**
 * `refused`: the key is invalid or lacks a permission. `missing`: the object or list does not exist. `limited`: rate
 * limit. `unavailable`: down, slow or unreachable. `junk`: unexpected response.
 */
export type ProcessorErrorKind = 'refused' | 'missing' | 'limited' | 'unavailable' | 'junk';

export class ProcessorError extends Error {
  readonly kind: ProcessorErrorKind;
  /** Retry delay requested by the processor, if any. */
  readonly retryAfterSeconds: number | null;

  constructor(kind: ProcessorErrorKind, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.name = 'ProcessorFault';
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An object that cannot be read. It is set aside and the rest of its page is processed. */
export class UnreadableObject extends ProcessorError {
  constructor(message: string) {
    super('junk', message);
    this.name = 'UnreadableObject';
  }
}

/** Treats an optional list as empty if the processor lacks it or the key may not read it. */
export function noneWhenMissing(error: unknown): { objects: readonly unknown[]; more: boolean } {
  if (error instanceof ProcessorError && (error.kind === 'missing' || error.kind === 'refused'))
    return { objects: [], more: false };
  throw error;
}
