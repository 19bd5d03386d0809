import { graphql } from './api-client.ts';
import type { RunningService } from './running-service.ts';
import { signedIn, type Visitor } from './visitor.ts';

let members = 0;

/** Signs in as a new account user. Addresses are unique among the files that share a service. */
export async function signedInMember(
  { url, firstRun }: Pick<RunningService, 'url' | 'firstRun'>,
  role: 'member' | 'viewer' | 'finance' | 'admin' = 'member',
): Promise<Visitor> {
  const account = {
    owner_email: `member-${++members}@example.com`,
    owner_password: `the password of member ${members}`,
  };
  const { body } = await graphql(
    url,
    firstRun.operator_token,
    `mutation ($email: String!, $password: String!, $role: String!) {
      accountUserCreate(input: { email: $email, password: $password, role: $role }) { accountUser { id } userErrors { message } }
    }`,
    { email: account.owner_email, password: account.owner_password, role },
    firstRun.organization_id,
  );
  if (!body.data?.accountUserCreate.accountUser) throw new Error(JSON.stringify(body));
  return signedIn(url, account);
}
