/** Parses the arguments of one call and checks them against the command's flags. Every error is a usage error. */
import { readFileSync } from 'node:fs';
import * as util from 'node:util';
import { type Flag, type Flags, stdinSwitch } from './flags.ts';
import { UsageError } from './usage-error.ts';

/** Typed access to the parsed flags. */
export interface Args {
  /** Value of a required flag. */
  text(name: string): string;
  optional(name: string): string | undefined;
  /** Whole number of a required flag. */
  count(name: string): number;
  optionalCount(name: string): number | undefined;
  /** Values of a repeated flag. */
  all(name: string): readonly string[];
  /** True if the flag or switch is given. */
  has(name: string): boolean;
}

/** Returns `null` if the words ask for help. */
export function parseArgs(command: string, flags: Flags, words: readonly string[]): Args | null {
  const { help, ...values } = readValues(flags, words);
  if (help === true) return null;
  const named = new Map(Object.entries(values).filter(([name]) => name in flags));
  const [secret, ...more] = Object.keys(flags).filter((name) => values[stdinSwitch(name)] === true);
  if (more.length > 0 || (secret !== undefined && named.has(secret)))
    throw new UsageError('Standard input can hold only one secret, which must not also be given as a flag');
  if (secret !== undefined) named.set(secret, readLineOfStdin(secret));
  const read = new Map([...named].map(([name, value]) => [name, readForms(name, flags[name], value)]));
  const missing = Object.entries(flags)
    .filter(([name, { required }]) => required && !read.has(name))
    .map(([name, flag]) => (flag.secret ? `--${name} or --${stdinSwitch(name)}` : `--${name}`));
  if (missing.length > 0) throw new UsageError(`${command} needs ${missing.join(' and ')}`);
  return args(read);
}

function args(values: ReadonlyMap<string, readonly string[]>): Args {
  const optional = (name: string) => values.get(name)?.at(-1);
  const text = (name: string) => optional(name) ?? notRequired(name);
  const optionalCount = (name: string) => {
    const value = optional(name);
    return value === undefined ? undefined : Number(value);
  };
  return {
    text,
    optional,
    count: (name) => Number(text(name)),
    optionalCount,
    all: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
  };
}

function notRequired(name: string): never {
  throw new Error(`--${name} is read but not required`);
}

type Value = string | boolean | (string | boolean)[] | undefined;

function readValues(flags: Flags, words: readonly string[]): Record<string, Value> {
  const options = Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => [
      [name, { type: flag.form ? ('string' as const) : ('boolean' as const), multiple: flag.repeated === true }],
      ...(flag.secret ? [[stdinSwitch(name), { type: 'boolean' as const, multiple: false }] as const] : []),
    ]),
  );
  const [positional] = Object.keys(flags).filter((name) => flags[name]?.positional);
  try {
    const { values, positionals }: { values: Record<string, Value>; positionals: string[] } = util.parseArgs({
      args: [...words],
      options: { ...options, help: { type: 'boolean' } },
      strict: true,
      allowPositionals: positional !== undefined,
    });
    if (positional === undefined || positionals.length === 0) return values;
    if (flags[positional]?.repeated) return { ...values, [positional]: [values[positional] ?? [], positionals].flat() };
    if (positionals.length > 1 || values[positional] !== undefined)
      throw new Error(`Give only one ${flags[positional]?.form?.hint ?? positional}: ${positionals.join(' ')}`);
    return { ...values, [positional]: positionals[0] };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The first line, without its line terminator. */
function readLineOfStdin(name: string): string {
  try {
    return readFileSync(0, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new UsageError(`--${stdinSwitch(name)}: standard input cannot be read (${(error as Error).message})`);
  }
}

function readForms(name: string, flag: Flag | undefined, value: Value): readonly string[] {
  const texts = [value ?? []].flat().map(String);
  const form = flag?.form;
  return form ? texts.map((text) => form.read(text) ?? wrongForm(name, form.what)) : texts;
}

function wrongForm(name: string, what: string): never {
  throw new UsageError(`--${name} must be ${what}`);
}
