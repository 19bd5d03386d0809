/** `npm run migration:record`: writes each subgraph's `history.json` after a migration was created. */
import { definitions } from '../start/definitions.ts';
import { recordHistory } from './check-migration-history.ts';

for (const { migrationsFolder } of definitions) recordHistory(migrationsFolder);
