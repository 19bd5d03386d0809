/**
 * Marks an event whose counts are an estimate of its sender, for example if a person stopped a stream (decision 76).
 */

export const INCOMPLETE = 'incomplete';

export function isIncomplete(metadata: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return metadata?.[INCOMPLETE] === true;
}
