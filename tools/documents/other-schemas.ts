/**
 * Documents in tests that are not meant for the graph: their schema is a small one of the test, or the test expects the
 * error. Messages of the validation that are allowed in a file.
 */
export const EXPECTED_ERRORS: Readonly<Record<string, RegExp>> = {};
