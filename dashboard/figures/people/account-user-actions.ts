/** Actions of an owner or admin on another person's account. */
import { graphql, type GraphqlDocument } from '#schema/graphql.ts';

/** Actions, each with its form on the page. */
export const ACTIONS: readonly Action[] = [
  {
    path: 'role',
    document: graphql(
      'mutation SetAccountUserRole($id: ID!, $role: String!, $ownPassword: String, $revokeIssuedKeys: Boolean!) { accountUserSetRole(input: { id: $id, role: $role, ownPassword: $ownPassword, revokeIssuedKeys: $revokeIssuedKeys }) { accountUser { id } userErrors { message code } } }',
    ),
    done: 'role-changed',
    fields: ['role'],
    revokes: true,
  },
  {
    path: 'disable',
    document: graphql(
      'mutation DisableAccountUser($id: ID!, $ownPassword: String, $revokeIssuedKeys: Boolean!) { accountUserDisable(input: { id: $id, ownPassword: $ownPassword, revokeIssuedKeys: $revokeIssuedKeys }) { accountUser { id } userErrors { message code } } }',
    ),
    done: 'account-disabled',
    fields: [],
    revokes: true,
  },
  {
    path: 'enable',
    document: graphql(
      'mutation EnableAccountUser($id: ID!, $ownPassword: String) { accountUserEnable(input: { id: $id, ownPassword: $ownPassword }) { accountUser { id } userErrors { message code } } }',
    ),
    done: 'account-enabled',
    fields: [],
  },
  {
    path: 'end-session',
    document: graphql(
      'mutation EndAccountUserSession($id: ID!, $sessionId: ID!, $ownPassword: String) { accountUserEndSessions(input: { id: $id, sessionId: $sessionId, ownPassword: $ownPassword }) { accountUser { id } userErrors { message code } } }',
    ),
    done: 'session-ended',
    fields: ['sessionId'],
  },
  {
    path: 'end-sessions',
    document: graphql(
      'mutation EndAccountUserSessions($id: ID!, $ownPassword: String) { accountUserEndSessions(input: { id: $id, ownPassword: $ownPassword }) { accountUser { id } userErrors { message code } } }',
    ),
    done: 'person-signed-out',
    fields: [],
  },
  {
    path: 'reset-second-factor',
    document: graphql(
      'mutation ResetSecondFactor($id: ID!, $ownPassword: String) { accountUserResetSecondFactor(input: { id: $id, ownPassword: $ownPassword }) { accountUser { id } userErrors { message code } } }',
    ),
    done: 'second-factor-reset',
    fields: [],
  },
  {
    path: 'remove',
    document: graphql(
      'mutation RemoveAccountUser($id: ID!, $ownPassword: String, $revokeIssuedKeys: Boolean!) { accountUserRemove(input: { id: $id, ownPassword: $ownPassword, revokeIssuedKeys: $revokeIssuedKeys }) { accountUser { id } userErrors { message code } } }',
    ),
    done: 'account-removed',
    fields: [],
    revokes: true,
  },
];

interface Action {
  /** Path below the person's page. */
  readonly path: string;
  readonly document: GraphqlDocument;
  /** Notice shown afterwards. */
  readonly done: string;
  /** Form fields for the variables besides the id. */
  readonly fields: readonly string[];
  /** True if the action takes rights away, along with things that the person issued. */
  readonly revokes?: boolean;
}
