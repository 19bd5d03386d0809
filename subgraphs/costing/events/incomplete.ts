/** Marks an event whose counts are its sender's estimate, such as for a stream that a person stopped (decision 76). */

export const INCOMPLETE = 'incomplete';

export function isIncomplete(metadata: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return metadata?.[INCOMPLETE] === true;
}
