/** Reads the flags of a command. Whatever is wrong with them is wrong usage. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { type Given, given } from './given.ts';
import { UsageError } from './usage-error.ts';

export interface ParsedFlags {
  readonly given: Given;
  readonly json: boolean;
  readonly help: boolean;
}

export function parseFlags(command: Command, words: readonly string[]): ParsedFlags {
  const { json, help, ...values } = readValues(command, words);
  const named = new Map(Object.entries(values).filter(([name]) => name in command.flags));
  const fromStdin = help === true ? [] : Object.keys(command.flags).filter((name) => values[stdinSwitch(name)] === true);
  const [secret, ...more] = fromStdin;
  if (more.length > 0 || (secret !== undefined && named.has(secret))) throw new UsageError('Standard input gives one secret, and that is not also a flag');
  if (secret !== undefined) named.set(secret, readLineOfStdin(secret));
  const read = new Map([...named].map(([name, value]) => [name, readForms(command, name, value)]));
  const missing = Object.entries(command.flags).filter(([name, { required }]) => required && !read.has(name)).map(([name, { secret: isSecret }]) => (isSecret ? `--${name} or --${stdinSwitch(name)}` : `--${name}`));
  if (missing.length > 0 && help !== true) throw new UsageError(`${command.name} needs ${missing.join(' and ')}`);
  return { given: given(read), json: json === true, help: help === true };
}

type Value = string | boolean | (string | boolean)[] | undefined;

function readValues({ flags }: Command, words: readonly string[]): Record<string, Value> {
  const options = Object.fromEntries(Object.entries(flags).flatMap(([name, flag]) => [
    [name, { type: flag.form ? 'string' as const : 'boolean' as const, multiple: flag.repeated === true }],
    ...(flag.secret ? [[stdinSwitch(name), { type: 'boolean' as const, multiple: false }] as const] : []),
  ]));
  try {
    return parseArgs({ args: [...words], options: { ...options, json: { type: 'boolean' }, help: { type: 'boolean' } }, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** What is typed for a secret flag to read it from standard input. */
export function stdinSwitch(name: string): string {
  return `${name}-stdin`;
}

/** The first line, without its end. */
function readLineOfStdin(name: string): string {
  try {
    return readFileSync(0, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new UsageError(`--${stdinSwitch(name)}: standard input cannot be read (${(error as Error).message})`);
  }
}

function readForms({ flags }: Command, name: string, value: Value): readonly string[] {
  const form = flags[name]?.form;
  const texts = [value ?? []].flat().map(String);
  if (!form) return texts;
  return texts.map((text) => {
    const read = form.read(text);
    if (read === null) throw new UsageError(`--${name} must be ${form.what}`);
    return read;
  });
}
