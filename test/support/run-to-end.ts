/** Runs a generator that yields where it may pause, without pausing. */
export function runToEnd<Result>(work: Generator<void, Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
