#!/usr/bin/env node
/** `books COMMAND …`, the command line of the people who use the service. */
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { runProgram } from '../kit/run-program.ts';
import { agents } from './commands/agents.ts';
import { costs } from './commands/costs.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { margin } from './commands/margin.ts';
import { replay } from './commands/replay.ts';
import { sendFile } from './commands/send.ts';
import { sources } from './commands/sources.ts';
import { tail } from './commands/tail.ts';
import { price } from './commands/price.ts';
import { usage } from './commands/usage.ts';
import { whoami } from './commands/whoami.ts';
import { configFolder, fromEnvironment } from './environment.ts';
import { savedLogin } from './saved-login.ts';
import type { Dependencies } from './dependencies.ts';

const dependencies: Dependencies = {
  print: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
  saved: savedLogin(configFolder()),
  environment: fromEnvironment(),
  machineName: hostname(),
  wait: (seconds) => pause(seconds * 1000),
  readInput: () => text(process.stdin),
};

// Anyone who reads the output may stop reading: `books costs | head`.
process.stdout.on('error', () => process.exit(0));

process.exitCode = await runProgram(
  {
    prefix: 'books',
    suffix: '',
    closing: [
      'books COMMAND --help shows the flags. In this repository, books is npm run -s books --.',
      'BOOKS_API_KEY and BOOKS_API_URL go before the saved login.',
    ],
    namesFlags: false,
    widthMax: 30,
    commands: [login, whoami, costs, margin, agents, usage, price, sources, tail, sendFile, replay, logout],
  },
  process.argv.slice(2),
  process,
  (command, args) => command.run(args, dependencies),
);
