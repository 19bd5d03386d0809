#!/usr/bin/env node
/** `books COMMAND …`: the command line for users of the service. */
import { text } from 'node:stream/consumers';
import { runBooks } from './run-books.ts';

// The reader of the output may close it early: `books costs | head`.
process.stdout.on('error', () => process.exit(0));

const { stdout, stderr, stdin } = process;
process.exitCode = await runBooks(process.argv.slice(2), { stdout, stderr, readInput: () => text(stdin) });
