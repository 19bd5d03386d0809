/**
 * Runs one call of a command line: finds the command, parses its arguments and runs it. Exit 1: failure. Exit 2: wrong
 * usage.
 */
import { type Args, parseArgs } from './parse-args.ts';
import { type Program, usageOf, usageOfAll } from './usage.ts';
import { UsageError } from './usage-error.ts';
import type { Flags } from './flags.ts';

/** A name as typed (`organization create`), and the flags. The usage text is generated from it. */
export interface CommandLine {
  readonly name: string;
  readonly summary: string;
  readonly flags: Flags;
}

const NAMES_SHOWN_MAX = 10;

/** Output streams of a call. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/**
 * Returns the exit code: the number that `run` returns, or 0. Prints a thrown error to standard error in one line.
 * `more`: flags shared by all commands.
 */
export async function runProgram<Command extends CommandLine>(
  program: Program<Command>,
  words: readonly string[],
  { stdout, stderr }: Terminal,
  run: (command: Command, args: Args) => Promise<unknown>,
  more: Flags = {},
): Promise<number> {
  const [first] = words;
  try {
    if (first === undefined || first === '--help' || first === 'help') {
      (first === undefined ? stderr : stdout).write(`${usageOfAll(program)}\n`);
      return first === undefined ? 2 : 0;
    }
    const command = findCommand(program.commands, words);
    const args = parseArgs(command.name, { ...command.flags, ...more }, words.slice(command.name.split(' ').length));
    if (args === null) stdout.write(`${usageOf(program, command)}\n`);
    const code = args === null ? 0 : await run(command, args);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    stderr.write(`${(error as Error).message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
    return error instanceof UsageError ? 2 : 1;
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
    `Unknown command ${typed || String(words[0])}${near.length > 0 ? `: use ${near.join(', ')}` : '; see --help'}`,
  );
}
