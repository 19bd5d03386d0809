/** One call of a command line: finds the command, reads its arguments, runs it. Exit 1: it failed. Exit 2: wrong usage. */
import { type Args, parseArgs } from './parse-args.ts';
import { type Program, usageOf, usageOfAll } from './usage.ts';
import { UsageError } from './usage-error.ts';
import type { Flags } from './flags.ts';

/** A name as typed (`organization create`), and the flags. The usage text is written from it. */
export interface CommandLine {
  readonly name: string;
  readonly summary: string;
  readonly flags: Flags;
}

const NAMES_SHOWN_MAX = 10;

/** What `run` throws is said in one line on standard error. `more` are flags of every command. */
export async function runProgram<Command extends CommandLine>(
  program: Program<Command>,
  run: (command: Command, args: Args) => Promise<void>,
  more: Flags = {},
): Promise<void> {
  const words = process.argv.slice(2);
  const [first] = words;
  try {
    if (first === undefined || first === '--help' || first === 'help') {
      (first === undefined ? process.stderr : process.stdout).write(`${usageOfAll(program)}\n`);
      process.exitCode = first === undefined ? 2 : 0;
      return;
    }
    const command = findCommand(program.commands, words);
    const args = parseArgs(command.name, { ...command.flags, ...more }, words.slice(command.name.split(' ').length));
    if (args === null) process.stdout.write(`${usageOf(program, command)}\n`);
    else await run(command, args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

function findCommand<Command extends CommandLine>(commands: readonly Command[], words: readonly string[]): Command {
  const found = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (found) return found;
  const wordsMax = Math.max(...commands.map(({ name }) => name.split(' ').length));
  const typed = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, wordsMax)
    .join(' ');
  const names = commands.map(({ name }) => name);
  const near = names.length <= NAMES_SHOWN_MAX ? names : names.filter((name) => name.split(' ')[0] === words[0]);
  throw new UsageError(
    `There is no command ${typed || String(words[0])}${near.length > 0 ? `: use ${near.join(', ')}` : '; --help lists them'}`,
  );
}
