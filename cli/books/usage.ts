/** How to type a command, written from the command itself. */
import type { Command } from './command.ts';

export function usageOfAll(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Usage: books COMMAND …',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'books COMMAND --help shows the flags. In this repository, books is npm run -s books --.',
    'BOOKS_API_KEY and BOOKS_API_URL go before the saved login.',
  ].join('\n');
}

export function usageOf({ name, summary, flags }: Command): string {
  const entries = Object.entries(flags).map(([flag, { hint, about }]) => [hint === undefined ? `--${flag}` : `--${flag} ${hint}`, about] as const);
  const width = Math.min(30, Math.max(0, ...entries.map(([spelled]) => spelled.length)));
  return [
    `Usage: books ${name}${entries.length > 0 ? ' [FLAGS]' : ''}`,
    '',
    summary,
    '',
    ...entries.map(([spelled, about]) => (spelled.length > width ? `  ${spelled}\n  ${' '.repeat(width)}  ${about}` : `  ${spelled.padEnd(width)}  ${about}`)),
  ].join('\n').trimEnd();
}
