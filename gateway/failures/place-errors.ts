/**
 * Adds an error at the path of every failed panel. An unavailable subgraph reports no paths. A panel's input may also
 * have failed in another subgraph, under a name that the caller never wrote.
 */
import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  getOperationAST,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLNamedType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Panels } from './panels.ts';

type PlacedError = GraphQLError | GraphQLFormattedError;
type Path = readonly (string | number)[];

export interface FailedAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors: readonly PlacedError[];
}

export interface ExecutedOperation {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

/**
 * Errors in a stable order: by the caller's fields, and errors with a known path before those of the fields lost with
 * them.
 */
export function placeErrors(
  { data, errors }: FailedAnswer,
  operation: ExecutedOperation,
  schema: GraphQLSchema,
  panels: Panels,
): readonly PlacedError[] {
  const node = getOperationAST(operation.document, operation.operationName);
  const root = node && schema.getRootType(node.operation);
  if (!data || !root) return errors;
  const walk = new AnswerWalk(operation.document, schema, panels);
  walk.object(node.selectionSet, root, data, []);
  const { lost, names } = walk;

  // The order of failures is random, but pages and REST report the first error.
  const places = new Map([...names].map((name, place) => [name, place]));
  const placeOf = ({ path }: PlacedError) => places.get(namesOf(path ?? [])) ?? places.size;
  const seen = errors
    .filter((error) => placeOf(error) < places.size)
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  const unseen = errors.filter((error) => !seen.includes(error));
  const covered = new Set(seen.flatMap(({ path = [] }) => path.map((_step, index) => keyOf(path.slice(0, index + 1)))));
  const reported = new Set<string>();
  const added = lost.flatMap((panel) => {
    if (covered.has(keyOf(panel.path))) return [];
    const cause = causeOf(panel, unseen, seen);
    if (!cause) return [];
    reported.add(failureOf(cause));
    return [placedAt(cause, panel.path)];
  });
  return [...seen, ...added, ...onceEach(unseen, reported).map(withoutPath)];
}

/**
 * Keeps one error for each failure of a subgraph that is not reported yet: a failure may have an error for each of many
 * fields.
 */
function onceEach(unseen: readonly PlacedError[], reported: Set<string>): readonly PlacedError[] {
  return unseen.filter((error) => {
    const failure = failureOf(error);
    return !reported.has(failure) && reported.add(failure);
  });
}

function failureOf({ message, extensions }: PlacedError): string {
  return JSON.stringify([extensions?.['serviceName'], extensions?.['code'], message]);
}

interface LostPanel {
  readonly path: Path;
  readonly subgraphs: readonly string[];
}

/**
 * The error of the panel's own subgraph, otherwise one without a path of the caller, otherwise one of the parent
 * object.
 */
function causeOf(
  { path, subgraphs }: LostPanel,
  unseen: readonly PlacedError[],
  seen: readonly PlacedError[],
): PlacedError | undefined {
  return (
    unseen.find(({ extensions }) => subgraphs.includes(String(extensions?.['serviceName']))) ??
    unseen[0] ??
    seen.find((error) => startsWith(error.path ?? [], path.slice(0, -1)))
  );
}

/** Finds null panels, and the names of all selected fields. */
class AnswerWalk {
  readonly lost: LostPanel[] = [];
  private readonly lostPaths = new Set<string>();
  /** Paths without list indexes. */
  readonly names = new Set<string>();
  private readonly schema: GraphQLSchema;
  private readonly panels: Panels;
  private readonly fragments: ReadonlyMap<string, SelectionSetNode>;

  constructor(document: DocumentNode, schema: GraphQLSchema, panels: Panels) {
    this.schema = schema;
    this.panels = panels;
    this.fragments = new Map(
      document.definitions.flatMap((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet]] : [],
      ),
    );
  }

  object({ selections }: SelectionSetNode, type: GraphQLNamedType, value: object, path: Path): void {
    const { __typename: name } = value as { __typename?: string };
    const own = (name === undefined ? undefined : this.schema.getType(name)) ?? type;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) this.field(selection, own, value as Readonly<Record<string, unknown>>, path);
      else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : this.fragments.get(selection.name.value);
        if (inner) this.object(inner, own, value, path);
      }
    }
  }

  private field(node: FieldNode, type: GraphQLNamedType, value: Readonly<Record<string, unknown>>, before: Path): void {
    const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined;
    if (!field) return;
    const responseName = node.alias?.value ?? node.name.value;
    const path = [...before, responseName];
    const found = value[responseName];
    this.names.add(namesOf(path));
    if (node.selectionSet) this.value(node.selectionSet, getNamedType(field.type), found, path);
    const subgraphs = this.panels.get(`${type.name}.${node.name.value}`);
    if (found !== null || !subgraphs || this.lostPaths.has(keyOf(path))) return;
    this.lostPaths.add(keyOf(path));
    this.lost.push({ path, subgraphs });
  }

  private value(selectionSet: SelectionSetNode, type: GraphQLNamedType, value: unknown, path: Path): void {
    if (Array.isArray(value)) value.forEach((item, index) => this.value(selectionSet, type, item, [...path, index]));
    else if (typeof value === 'object' && value !== null) this.object(selectionSet, type, value, path);
    // Also collects the fields below null: an error may name one of them.
    else if (value === null) this.object(selectionSet, type, {}, path);
  }
}

function namesOf(path: Path): string {
  return path.filter((step) => typeof step === 'string').join('.');
}

function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((step, index) => step === path[index]);
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** Removes a path that the caller did not write: it may name things that are hidden from the caller. */
function withoutPath(error: PlacedError): PlacedError {
  return error.path ? placedAt(error, undefined) : error;
}

/** Keeps the original error, by which the log and `allowError` recognize errors that must stay hidden. */
function placedAt(error: PlacedError, path: Path | undefined): GraphQLError {
  const cause = error instanceof GraphQLError ? error.originalError : error instanceof Error ? error : undefined;
  return new GraphQLError(error.message, { path, extensions: { ...error.extensions }, originalError: cause });
}

interface ExecutedPlan {
  readonly errors?: readonly Error[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** All errors as GraphQL errors. Apollo also returns plain ones, and reports invalid values separately. */
export function executionErrors({ errors = [], extensions }: ExecutedPlan): readonly GraphQLError[] {
  const misfits = (extensions?.['valueCompletion'] ?? []) as readonly GraphQLError[];
  return [
    ...errors.map((error) =>
      error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error }),
    ),
    // Drops Apollo's code, which is meant for invalid documents.
    ...misfits.map(({ message, path }) => new GraphQLError(message, { path, originalError: new Error(message) })),
  ];
}
