/** All commands, in the order of the usage text. */
import type { Command } from './command.ts';
import { backup } from './commands/backup.ts';
import { clusterDistribute } from './commands/cluster-distribute.ts';
import { compact } from './commands/compact.ts';
import { catalogCheck } from './commands/costing/catalog-check.ts';
import { catalogImport } from './commands/costing/catalog-import.ts';
import { creditsAddPack } from './commands/costing/credits-add-pack.ts';
import { creditsShow } from './commands/costing/credits-show.ts';
import { dimensionRegister } from './commands/dimension-register.ts';
import { endUserErase } from './commands/end-user-erase.ts';
import { invitationList } from './commands/users/invitation-list.ts';
import { invitationRevoke } from './commands/users/invitation-revoke.ts';
import { keyCreate } from './commands/identity/key-create.ts';
import { keyList } from './commands/identity/key-list.ts';
import { keyUnsigned } from './commands/identity/key-unsigned.ts';
import { keyRevoke } from './commands/identity/key-revoke.ts';
import { monthClose, monthReopen } from './commands/month-close.ts';
import { operationCancel } from './commands/operations/operation-cancel.ts';
import { operationList } from './commands/operations/operation-list.ts';
import { operationResume } from './commands/operations/operation-resume.ts';
import { operationShow } from './commands/operations/operation-show.ts';
import { operatorTokenCreate } from './commands/identity/operator-token-create.ts';
import { operatorTokenList } from './commands/identity/operator-token-list.ts';
import { operatorTokenRevoke } from './commands/identity/operator-token-revoke.ts';
import { operatorTokenRotate } from './commands/identity/operator-token-rotate.ts';
import { organizationCreate } from './commands/identity/organization-create.ts';
import { organizationDelete } from './commands/identity/organization-delete.ts';
import { organizationList } from './commands/identity/organization-list.ts';
import { organizationRename } from './commands/identity/organization-rename.ts';
import { organizationSecondFactor } from './commands/identity/organization-second-factor.ts';
import { planSet } from './commands/costing/plan-set.ts';
import { pendingList } from './commands/costing/pending-list.ts';
import { rateList } from './commands/costing/rate-list.ts';
import { rateRemove } from './commands/costing/rate-remove.ts';
import { rateAlias } from './commands/costing/rate-alias.ts';
import { rateMatch } from './commands/costing/rate-match.ts';
import { ratePolicy } from './commands/costing/rate-policy.ts';
import { rateSet } from './commands/costing/rate-set.ts';
import { rebuildAttribution } from './commands/rebuild-attribution.ts';
import { redeliver } from './commands/redeliver.ts';
import { reprice } from './commands/costing/reprice.ts';
import { restore } from './commands/restore.ts';
import { retentionSet } from './commands/costing/retention-set.ts';
import { billSource } from './commands/reconciliation/bill-source.ts';
import { retryFailed } from './commands/costing/retry-failed.ts';
import { revenueConnect } from './commands/revenue/revenue-connect.ts';
import { revenueLink } from './commands/revenue/revenue-link.ts';
import { revenueSetAside } from './commands/revenue/revenue-set-aside.ts';
import { revenueSync } from './commands/revenue/revenue-sync.ts';
import { fxImport } from './commands/revenue/fx-import.ts';
import { fxList } from './commands/revenue/fx-list.ts';
import { revert } from './commands/costing/revert.ts';
import { secretsReseal } from './commands/identity/secrets-reseal.ts';
import { secretsStatus } from './commands/identity/secrets-status.ts';
import { settle } from './commands/settle.ts';
import { userCreate } from './commands/users/user-create.ts';
import { userDisable } from './commands/users/user-disable.ts';
import { userEnable } from './commands/users/user-enable.ts';
import { userEndSessions } from './commands/users/user-end-sessions.ts';
import { userInvite } from './commands/users/user-invite.ts';
import { userList } from './commands/users/user-list.ts';
import { userRemove } from './commands/users/user-remove.ts';
import { userResetPassword } from './commands/users/user-reset-password.ts';
import { userResetSecondFactor } from './commands/users/user-reset-second-factor.ts';
import { userSessions } from './commands/users/user-sessions.ts';
import { userSetRole } from './commands/users/user-set-role.ts';
import { sqlAccessCreate } from './commands/sql-access-create.ts';
import { sqlAccessRevoke } from './commands/sql-access-revoke.ts';
import { verify } from './commands/verify.ts';

export const commands: readonly Command[] = [
  organizationCreate,
  organizationList,
  organizationRename,
  organizationDelete,
  organizationSecondFactor,
  userCreate,
  userInvite,
  invitationList,
  invitationRevoke,
  userList,
  userDisable,
  userEnable,
  userRemove,
  userSetRole,
  userSessions,
  userEndSessions,
  userResetPassword,
  userResetSecondFactor,
  planSet,
  creditsAddPack,
  creditsShow,
  keyCreate,
  keyList,
  keyRevoke,
  keyUnsigned,
  dimensionRegister,
  rateSet,
  rateMatch,
  rateList,
  rateRemove,
  pendingList,
  rateAlias,
  ratePolicy,
  catalogImport,
  catalogCheck,
  reprice,
  revert,
  retryFailed,
  operationList,
  operationShow,
  operationCancel,
  operationResume,
  revenueConnect,
  revenueSync,
  revenueLink,
  revenueSetAside,
  fxImport,
  fxList,
  endUserErase,
  retentionSet,
  billSource,
  monthClose,
  monthReopen,
  operatorTokenCreate,
  operatorTokenList,
  operatorTokenRotate,
  operatorTokenRevoke,
  secretsStatus,
  secretsReseal,
  rebuildAttribution,
  redeliver,
  settle,
  verify,
  sqlAccessCreate,
  sqlAccessRevoke,
  backup,
  restore,
  clusterDistribute,
  compact,
];
