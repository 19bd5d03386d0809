/** What every command of the operator is: a name, its flags, and what it does. The usage text is written from it. */
import type { OperatorGateway } from '../platform/operator-gateway.ts';
import type { Form } from './flag-forms.ts';
import type { Given } from './given.ts';

export interface Flag {
  /** Absent: a switch without a value. */
  readonly form?: Form;
  readonly required?: true;
  readonly repeated?: true;
  /** Also taken from standard input, by `--NAME-stdin`: what stands on a command line is seen by every account of the machine. */
  readonly secret?: true;
  readonly about: string;
}

export interface Outcome {
  /** What `--json` prints: snake_case, decimals as strings. */
  readonly output: unknown;
  /** Said on standard error after the output; the exit code is then 1. */
  readonly fault?: string;
}

export interface Command {
  /** As typed: `organization create`. */
  readonly name: string;
  readonly summary: string;
  readonly flags: Readonly<Record<string, Flag>>;
  run(given: Given, gateway: OperatorGateway): Promise<Outcome>;
}
