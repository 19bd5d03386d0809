/** Every command, in the order of the usage text. */
import type { Command } from './command.ts';
import { catalogImport } from './commands/catalog-import.ts';
import { creditsAddPack } from './commands/credits-add-pack.ts';
import { creditsShow } from './commands/credits-show.ts';
import { dimensionRegister } from './commands/dimension-register.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyList } from './commands/key-list.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { operatorTokenCreate } from './commands/operator-token-create.ts';
import { operatorTokenList } from './commands/operator-token-list.ts';
import { operatorTokenRevoke } from './commands/operator-token-revoke.ts';
import { operatorTokenRotate } from './commands/operator-token-rotate.ts';
import { organizationCreate } from './commands/organization-create.ts';
import { organizationList } from './commands/organization-list.ts';
import { planSet } from './commands/plan-set.ts';
import { rateMatch } from './commands/rate-match.ts';
import { rateSet } from './commands/rate-set.ts';
import { reprice } from './commands/reprice.ts';
import { revenueConnect } from './commands/revenue-connect.ts';
import { revenueLink } from './commands/revenue-link.ts';
import { revenueSync } from './commands/revenue-sync.ts';
import { secretsReseal } from './commands/secrets-reseal.ts';
import { secretsStatus } from './commands/secrets-status.ts';
import { settle } from './commands/settle.ts';
import { userCreate } from './commands/user-create.ts';
import { userDisable } from './commands/user-disable.ts';
import { userEnable } from './commands/user-enable.ts';
import { userEndSessions } from './commands/user-end-sessions.ts';
import { userInvite } from './commands/user-invite.ts';
import { userList } from './commands/user-list.ts';
import { userRemove } from './commands/user-remove.ts';
import { userResetPassword } from './commands/user-reset-password.ts';
import { userResetSecondFactor } from './commands/user-reset-second-factor.ts';
import { userSetRole } from './commands/user-set-role.ts';
import { verify } from './commands/verify.ts';

export const commands: readonly Command[] = [
  organizationCreate,
  organizationList,
  userCreate,
  userInvite,
  userList,
  userDisable,
  userEnable,
  userRemove,
  userSetRole,
  userEndSessions,
  userResetPassword,
  userResetSecondFactor,
  planSet,
  creditsAddPack,
  creditsShow,
  keyCreate,
  keyList,
  keyRevoke,
  dimensionRegister,
  rateSet,
  rateMatch,
  catalogImport,
  reprice,
  revenueConnect,
  revenueSync,
  revenueLink,
  operatorTokenCreate,
  operatorTokenList,
  operatorTokenRotate,
  operatorTokenRevoke,
  secretsStatus,
  secretsReseal,
  settle,
  verify,
];
