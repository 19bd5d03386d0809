/** Context of every resolver and operation. */
import type { Database } from '../database/open-database.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';

export interface SubgraphContext {
  readonly principal: Principal;
  readonly database: Database;
  readonly log: Log;
}
