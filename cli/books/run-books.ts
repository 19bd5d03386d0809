/** Runs one `books` command with its dependencies. */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { runProgram, type Terminal } from '../kit/run-program.ts';
import { agents } from './commands/agents.ts';
import { alerts } from './commands/alerts.ts';
import { compareBills, explainBills, importBill } from './commands/bills.ts';
import { costs } from './commands/costs.ts';
import { exportReport } from './commands/export.ts';
import { exportToStorage } from './commands/export-to.ts';
import { importHistory } from './commands/import.ts';
import { insights } from './commands/insights.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { margin } from './commands/margin.ts';
import { outcomes } from './commands/outcomes.ts';
import { price } from './commands/price.ts';
import { replay } from './commands/replay.ts';
import { sendFile } from './commands/send.ts';
import { fixed } from './commands/fixed.ts';
import { allowances } from './commands/allowances.ts';
import { commitments } from './commands/commitments.ts';
import { credits } from './commands/credits.ts';
import { savings } from './commands/savings.ts';
import { agreements } from './commands/agreements.ts';
import { sources } from './commands/sources.ts';
import { tail } from './commands/tail.ts';
import { usage } from './commands/usage.ts';
import { whatif } from './commands/whatif.ts';
import { whoami } from './commands/whoami.ts';
import type { Dependencies } from './dependencies.ts';
import { configFolder, fromEnvironment } from './environment.ts';
import { savedProgress } from './import/saved-progress.ts';
import { savedLogin } from './saved-login.ts';

export interface BooksTerminal extends Terminal {
  /** Everything that is typed or piped in. */
  readInput(): Promise<string>;
}

/** `words` as typed; settings come from the process environment unless given. Returns the exit code. */
export async function runBooks(
  words: readonly string[],
  terminal: BooksTerminal,
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const folder = configFolder(process.platform, environment);
  const dependencies: Dependencies = {
    print: (line) => void terminal.stdout.write(`${line}\n`),
    write: (text) => void terminal.stdout.write(text),
    say: (line) => void terminal.stderr.write(`${line}\n`),
    draw: terminal.stderr.isTTY ? (line) => void terminal.stderr.write(`\r\u001b[K${line}`) : null,
    saved: savedLogin(folder),
    progress: savedProgress(folder),
    environment: fromEnvironment(environment),
    machineName: hostname(),
    wait: (seconds) => pause(seconds * 1000),
    readInput: () => terminal.readInput(),
  };
  return runProgram(
    {
      prefix: 'books',
      suffix: '',
      closing: [
        'books COMMAND --help shows the flags. In this repository, books is npm run -s books --.',
        'BOOKS_API_KEY and BOOKS_API_URL take precedence over the saved login.',
      ],
      namesFlags: false,
      widthMax: 30,
      commands: [
        login,
        whoami,
        costs,
        margin,
        agents,
        outcomes,
        fixed,
        usage,
        exportReport,
        exportToStorage,
        price,
        whatif,
        alerts,
        importBill,
        compareBills,
        explainBills,
        insights,
        sources,
        agreements,
        savings,
        credits,
        commitments,
        allowances,
        tail,
        sendFile,
        replay,
        importHistory,
        logout,
      ],
    },
    words,
    terminal,
    (command, args) => command.run(args, dependencies),
  );
}
