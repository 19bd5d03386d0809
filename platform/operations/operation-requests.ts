/** Operators' requests on long operations, shared by all subgraphs. */
import type { OrganizationId } from '#kernel/ids.ts';
import { enumText, enumValue } from '#kernel/enum-value.ts';
import { type PageInput, parseKeysetPage, toKeysetConnection, type UncountedConnection } from '#kernel/page-cursor.ts';
import { isUuid } from '#kernel/uuid.ts';
import { fail } from '#kernel/errors.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { NO_ORGANIZATION } from '../subgraph/audit-record.ts';
import type { SubgraphContext } from '../subgraph/context.ts';
import { cancelOperation, findOperation, listOperations, type Operation, resumeOperation } from './operation-table.ts';
import type { OperationKind } from './run-operation.ts';

export interface OperationPage extends PageInput {
  readonly state?: OperationView['state'] | null | undefined;
  readonly kind?: string | null | undefined;
}

/** GraphQL view; `organizationId` is null for an operation over all organizations. */
export type OperationView = Omit<
  Operation,
  'organizationId' | 'parameters' | 'result' | 'state' | 'startedAt' | 'updatedAt' | 'finishedAt'
> & {
  readonly organizationId: OrganizationId | null;
  readonly parameters: { readonly name: string; readonly value: string }[];
  readonly result: { readonly name: string; readonly count: number }[] | null;
  readonly state: Uppercase<Operation['state']>;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
};

const PAGE_MAX = 200;

/** Operations of the organization that the operator names, or of all, newest first. */
export async function readOperations(
  { database, principal }: SubgraphContext,
  { state, kind, ...input }: OperationPage,
): Promise<UncountedConnection<OperationView>> {
  const page = parseKeysetPage(input, PAGE_MAX);
  const found = await database.system((tx) =>
    listOperations(tx, {
      organizationId: principal.organizationId,
      state: state ? enumText(state) : null,
      kind,
      limit: page.limit + 1,
      before: page.after,
    }),
  );
  return toKeysetConnection(found.map(toOperationView), page);
}

/** Null if the id does not exist. */
export async function readOperation(context: SubgraphContext, id: string): Promise<OperationView | null> {
  const found = await context.database.system((tx) => findById(tx, context, id));
  return found && toOperationView(found);
}

/**
 * Reads an operation that the caller has just started, for its organization or, as an operator without one, for all.
 * Unlike `readOperation`, it reads only the node of that organization.
 */
export async function readStartedOperation(
  { database, principal }: SubgraphContext,
  id: string,
): Promise<OperationView> {
  const started = await database.system((tx) => findOperation(tx, principal.organizationId ?? NO_ORGANIZATION, id));
  return toOperationView(started ?? fail('NOT_FOUND', 'Unknown operation'));
}

/** Called in the transaction of the action. */
type RecordAction = (tx: WriteTransaction, operation: Operation) => Promise<void>;

/** Cancels a running operation. Fails if it is not running. */
export function cancelById(context: SubgraphContext, id: string, record: RecordAction): Promise<OperationView> {
  return change(context, id, record, async (tx, found) => {
    const cancelled = await cancelOperation(tx, found.organizationId, found.id);
    return cancelled ?? fail('VALIDATION_ERROR', `This operation is ${found.state} and cannot be cancelled`);
  });
}

/** Resumes a cancelled or failed operation with its parameters. Fails if its kind does not allow it. */
export function resumeById(
  context: SubgraphContext,
  id: string,
  kinds: readonly OperationKind[],
  record: RecordAction,
): Promise<OperationView> {
  return change(context, id, record, async (tx, found) => {
    await kinds.find(({ kind }) => kind === found.kind)?.mayResume?.(tx, found);
    const resumed = await resumeOperation(tx, found.organizationId, found.id);
    return resumed ?? fail('VALIDATION_ERROR', `This operation is ${found.state} and cannot be resumed`);
  });
}

async function change(
  context: SubgraphContext,
  id: string,
  record: RecordAction,
  work: (tx: WriteTransaction, found: Operation) => Promise<Operation>,
): Promise<OperationView> {
  const changed = await context.database.system(async (tx) => {
    const found = (await findById(tx, context, id)) ?? fail('NOT_FOUND', 'Unknown operation');
    const operation = await work(tx, found);
    await record(tx, operation);
    return operation;
  });
  return toOperationView(changed);
}

async function findById(tx: WriteTransaction, { principal }: SubgraphContext, id: string): Promise<Operation | null> {
  if (!isUuid(id)) return null;
  const [found] = await listOperations(tx, { organizationId: principal.organizationId, id, limit: 1 });
  return found ?? null;
}

function toOperationView(operation: Operation): OperationView {
  const { organizationId, parameters, result, startedAt, updatedAt, finishedAt } = operation;
  return {
    ...operation,
    organizationId: organizationId === NO_ORGANIZATION ? null : organizationId,
    parameters: Object.entries(parameters as object).flatMap(([name, value]) =>
      value === null ? [] : [{ name, value: String(value) }],
    ),
    result:
      result === null
        ? null
        : Object.entries(result as object).map(([name, count]) => ({ name, count: Number(count) })),
    state: enumValue(operation.state),
    startedAt: new Date(startedAt),
    updatedAt: new Date(updatedAt),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
  };
}
