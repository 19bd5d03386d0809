/** An operator command: its name, flags and action. The usage text is generated from it. */
import type { OperatorGateway } from '../kit/operator-gateway.ts';
import type { Args } from '../kit/parse-args.ts';
import type { CommandLine } from '../kit/run-program.ts';

interface Outcome {
  /** Printed with `--json`: snake_case, decimals as strings. */
  readonly output: unknown;
  /** Printed to standard error after the output; the exit code is then 1. */
  readonly error?: string;
}

export interface Command extends CommandLine {
  run(args: Args, gateway: OperatorGateway): Promise<Outcome>;
}
