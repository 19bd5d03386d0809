/** `npm run -s admin -- COMMAND …`: the operator's command line. */
import { runAdmin } from './run-admin.ts';

process.exitCode = await runAdmin(process.argv.slice(2), process);
