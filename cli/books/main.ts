#!/usr/bin/env node
/** `books COMMAND …`, the command line of the people who use the service. Exit 1: it failed. Exit 2: wrong usage. */
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { commands } from './command-list.ts';
import { configFolder, fromEnvironment } from './environment.ts';
import { type Given, given } from './given.ts';
import { savedLogin } from './saved-login.ts';
import type { Surroundings } from './surroundings.ts';
import { usageOf, usageOfAll } from './usage.ts';
import { UsageError } from './usage-error.ts';

const surroundings: Surroundings = {
  print: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
  saved: savedLogin(configFolder()),
  environment: fromEnvironment(),
  machineName: hostname(),
  wait: (seconds) => pause(seconds * 1000),
  readInput: () => text(process.stdin),
};

async function run([name, ...words]: readonly string[]): Promise<void> {
  if (name === undefined) throw new UsageError(usageOfAll(commands));
  if (name === '--help' || name === 'help') return surroundings.print(usageOfAll(commands));
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) throw new UsageError(`There is no command ${name}: use ${commands.map((known) => known.name).join(', ')}`);
  const flags = readFlags(command, words);
  return flags.has('help') ? surroundings.print(usageOf(command)) : command.run(flags, surroundings);
}

function readFlags({ flags }: Command, words: readonly string[]): Given {
  const options = Object.fromEntries(Object.entries(flags).map(([name, { hint }]) => [name, { type: hint === undefined ? 'boolean' as const : 'string' as const }]));
  try {
    return given(parseArgs({ args: [...words], options: { ...options, help: { type: 'boolean' } }, strict: true, allowPositionals: false }).values);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

// Whoever reads the output may stop reading: `books costs | head`.
process.stdout.on('error', () => process.exit(0));

try {
  await run(process.argv.slice(2));
} catch (error) {
  surroundings.say((error as Error).message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
