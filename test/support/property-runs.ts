/**
 * Number of examples of a property that needs a database or a service. `npm test` tries a few in every change;
 * `npm run test:nightly` tries all of them, and plays every shape of the chaos tests.
 */
export const isNightly = process.env['TEST_NIGHTLY'] !== undefined;

export function runs(few: number, { nightly }: { readonly nightly: number }): { readonly numRuns: number } {
  return { numRuns: isNightly ? nightly : few };
}
