/** `npm run -s admin -- COMMAND …`: runs a command of the operator and prints its output. */
import { type Config, ConfigError, readConfig } from '../../platform/config.ts';
import { operatorGateway } from '../kit/operator-gateway.ts';
import { runProgram } from '../kit/run-program.ts';
import { valueAsText } from '../kit/table.ts';
import { commands } from './command-list.ts';

const PREFIX = 'npm run -s admin --';

await runProgram(
  {
    prefix: PREFIX,
    suffix: ' [--json]',
    closing: [
      `${PREFIX} COMMAND --help shows the flags. The service is at ADMIN_URL (default: the local address);`,
      'the operator token is ADMIN_TOKEN, else that of DATA_DIR/first-run.json.',
    ],
    namesFlags: true,
    widthMax: Infinity,
    commands,
  },
  async (command, args) => {
    const { output, error } = await command.run(args, operatorGateway(config()));
    process.stdout.write(`${args.has('json') ? JSON.stringify(output) : valueAsText(output)}\n`);
    if (error !== undefined) throw new Error(error);
  },
  { json: { about: 'prints one JSON value' } },
);

function config(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError)
      throw new Error(`Settings that cannot be used: ${error.errors.join('; ')}`, { cause: error });
    throw error;
  }
}
