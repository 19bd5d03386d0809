/** What every command of the operator is: a name, its flags, and what it does. The usage text is written from it. */
import type { OperatorGateway } from '../kit/operator-gateway.ts';
import type { Args } from '../kit/parse-args.ts';
import type { CommandLine } from '../kit/run-program.ts';

interface Outcome {
  /** What `--json` prints: snake_case, decimals as strings. */
  readonly output: unknown;
  /** Said on standard error after the output; the exit code is then 1. */
  readonly error?: string;
}

export interface Command extends CommandLine {
  run(args: Args, gateway: OperatorGateway): Promise<Outcome>;
}
