/** An organization with its owner and a member, and functions to call identity. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '#platform/config.ts';
import { query } from '#platform/database/sql.ts';
import { anonymous, type Principal, servicePrincipal } from '#platform/principal.ts';
import { buildSchema } from '#platform/subgraph/build-subgraph.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { identity } from '../../../subgraphs/identity/main.ts';
import { createAccountUser } from '../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { createOrganization } from '../../../subgraphs/identity/accounts/create-organization.operation.ts';
import { identifyCaller } from '../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { signIn } from '../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';
import { prepareRecoveryCodeKeys } from '../../../subgraphs/identity/sessions/second-factors/recovery-code-key.table.ts';
import { freshDatabase } from '../../support/fresh-database.ts';
import { sealingUnder } from '../../support/sealing.ts';

export const SEALING = sealingUnder('a secret of the tests, which is long enough');
export const PASSWORD = 'correct horse battery staple';
export const BROWSER = { address: '192.0.2.7', userAgent: 'A browser' };
const log = pino({ level: 'silent' });

export async function startIdentity() {
  const database = await freshDatabase(identity);
  await database.system((tx) => prepareRecoveryCodeKeys(tx, SEALING, new Date()));
  const contextOf = (principal: Principal): SubgraphContext => ({ database, log, principal });
  const service = contextOf(servicePrincipal('edge', 'test'));
  const operator = contextOf({ ...anonymous('test'), kind: 'operator', grants: ['operator'] });
  const emails = { owner: `owner-${randomUUID()}@example.com`, member: `member-${randomUUID()}@example.com` };
  const { organization } = await createOrganization(operator, {
    name: 'Ours',
    ownerEmail: emails.owner,
    ownerPassword: PASSWORD,
  });
  const ofOurs = contextOf({ ...operator.principal, organizationId: organization.id });
  await createAccountUser(ofOurs, { email: emails.member, password: PASSWORD, role: 'member' });
  const schema = buildSchema(
    identity.schemaFile,
    identity.resolvers({ sealing: SEALING, config: readConfig({}), database, log } as unknown as SubgraphDependencies),
  );
  const transport = inProcessSubgraph({ schema, database, log });
  const sessionOfToken = async (token: string): Promise<SubgraphContext> => {
    const principal = await identifyCaller(service, 'session', token, null);
    if (!principal) throw new Error('The session opens nothing');
    return contextOf({ ...principal, correlationId: 'test' });
  };
  return {
    database,
    service,
    operator,
    ofOurs,
    emails,
    organizationId: organization.id,
    contextOf,
    sessionOfToken,
    /** The context of a new session; `token` is its cookie. */
    async session(who: 'owner' | 'member' = 'owner'): Promise<SubgraphContext & { token: string }> {
      const { session } = await signIn(service, { email: emails[who], password: PASSWORD, ...BROWSER });
      if (!session) throw new Error('A second factor is asked for');
      return { ...(await sessionOfToken(session.token)), token: session.token };
    },
    rows: <Row>(sql: string, parameters: unknown[] = []) => database.system((tx) => query<Row>(tx, sql, parameters)),
    graphql: (document: string, variables: Record<string, unknown>, context: SubgraphContext) =>
      transport.execute(document, variables, context.principal),
    close: () => database.close(),
  };
}

export type Identity = Awaited<ReturnType<typeof startIdentity>>;

/** Runs the same operation many times concurrently, and separates the results from the errors. */
export async function atOnce<T>(times: number, work: () => Promise<T>): Promise<{ values: T[]; errors: unknown[] }> {
  const outcomes = await Promise.allSettled(Array.from({ length: times }, work));
  return {
    values: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    errors: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : [])),
  };
}
