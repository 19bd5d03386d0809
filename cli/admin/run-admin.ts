/** Runs one command of the operator's command line and prints its output. */
import { type Config, ConfigError, readConfig } from '#platform/config.ts';
import { operatorGateway } from '../kit/operator-gateway.ts';
import { runProgram, type Terminal } from '../kit/run-program.ts';
import { valueAsText } from '../kit/table.ts';
import { commands } from './command-list.ts';

const PREFIX = 'npm run -s admin --';

/** The source of the settings. */
type Environment = Parameters<typeof readConfig>[0];

/** `words` as typed; settings come from the process environment unless given. Returns the exit code. */
export async function runAdmin(
  words: readonly string[],
  terminal: Terminal,
  environment?: Environment,
): Promise<number> {
  return runProgram(
    {
      prefix: PREFIX,
      suffix: ' [--json]',
      closing: [
        `${PREFIX} COMMAND --help shows the flags. The service address is ADMIN_URL (default: the local address);`,
        'the operator token is ADMIN_TOKEN, or the one in DATA_DIR/first-run.json.',
      ],
      namesFlags: true,
      widthMax: Infinity,
      commands,
    },
    words,
    terminal,
    async (command, args) => {
      const { output, error } = await command.run(args, operatorGateway(configOf(environment)));
      terminal.stdout.write(`${args.has('json') ? jsonOf(output) : valueAsText(output)}\n`);
      if (error !== undefined) throw new Error(error);
    },
    { json: { about: 'prints one JSON value' } },
  );
}

/** A plain text becomes the `message` of an object. */
function jsonOf(output: unknown): string {
  return JSON.stringify(typeof output === 'string' ? { message: output } : output);
}

function configOf(environment: Environment): Config {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) throw new Error(`Invalid settings: ${error.errors.join('; ')}`, { cause: error });
    throw error;
  }
}
