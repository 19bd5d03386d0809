/** A user command: its name, flags and action. The usage text is generated from it. */
import type { Args } from '../kit/parse-args.ts';
import type { CommandLine } from '../kit/run-program.ts';
import type { Dependencies } from './dependencies.ts';

export interface Command extends CommandLine {
  /** A returned number is the exit code. Fails with an error whose message is for the user. */
  run(args: Args, dependencies: Dependencies): Promise<unknown>;
}
