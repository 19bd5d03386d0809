/** `npm run -s admin -- COMMAND …`: finds the command, runs it, prints its output. Exit 1: it failed. Exit 2: wrong usage. */
import { ConfigError, readConfig } from '../platform/config.ts';
import { operatorGateway } from '../platform/operator-gateway.ts';
import type { Command } from './command.ts';
import { commands } from './command-list.ts';
import { parseFlags } from './parse-flags.ts';
import { show } from './show.ts';
import { usageOf, usageOfAll } from './usage.ts';
import { UsageError } from './usage-error.ts';

async function run(words: readonly string[]): Promise<void> {
  if (words.length === 0 || words[0] === '--help' || words[0] === 'help') {
    (words.length === 0 ? process.stderr : process.stdout).write(`${usageOfAll(commands)}\n`);
    process.exitCode = words.length === 0 ? 2 : 0;
    return;
  }
  const command = findCommand(words);
  const { given, json, help } = parseFlags(command, words.slice(command.name.split(' ').length));
  if (help) {
    process.stdout.write(`${usageOf(command)}\n`);
    return;
  }
  const { output, fault } = await command.run(given, operatorGateway(readConfig()));
  process.stdout.write(`${json ? JSON.stringify(output) : show(output)}\n`);
  if (fault !== undefined) throw new Error(fault);
}

function findCommand(words: readonly string[]): Command {
  const named = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (named) return named;
  const typed = words.filter((word) => !word.startsWith('-')).slice(0, 3).join(' ');
  const near = commands.filter(({ name }) => name.split(' ')[0] === words[0]).map(({ name }) => name);
  throw new UsageError(`There is no command ${typed || String(words[0])}${near.length > 0 ? `: use ${near.join(', ')}` : '; --help lists them'}`);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const message = error instanceof ConfigError ? `Settings that cannot be used: ${error.faults.join('; ')}` : (error as Error).message;
  process.stderr.write(`${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
