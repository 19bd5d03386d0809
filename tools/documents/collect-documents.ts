/**
 * Finds all GraphQL documents in the service's source: arguments of `graphql()`, `internalGraphql()` and
 * `graphqlFragment()`. Also finds any other text that reads like an operation, so that none bypasses these functions.
 */
import { type DocumentNode, GraphQLError, Kind, parse } from 'graphql';
import ts from 'typescript';
import { openSources, type Piece, SourceError, type Sources } from './read-source.ts';

export type DocumentKind = 'graphql' | 'internalGraphql' | 'graphqlFragment';

export interface CollectedDocument {
  readonly kind: DocumentKind;
  /** Name of the operation or fragment. */
  readonly name: string;
  readonly text: string;
  readonly document: DocumentNode;
  /** Source location of an offset in the text: a part shared by documents has its own file. */
  readonly locate: (offset: number) => Place;
}

interface Place {
  /** Path from the root. */
  readonly file: string;
  readonly line: number;
}

export interface DocumentError extends Place {
  readonly message: string;
}

const DOOR = /(^|[#/])schema\/graphql\.ts$/;
const KINDS: readonly string[] = ['graphql', 'internalGraphql', 'graphqlFragment'] satisfies DocumentKind[];
const OPERATION = /^\s*(?:(?:query|mutation|subscription)\b[^;]*?\{|\{\s*(?:\w+\s*:\s*)?(?<field>\w+))/;

/** `rootFields`: fields that a document without a keyword may begin with. */
export function collectDocuments(
  root: URL,
  rootFields: ReadonlySet<string>,
): { readonly documents: readonly CollectedDocument[]; readonly errors: readonly DocumentError[] } {
  const sources = openSources(root);
  const documents: CollectedDocument[] = [];
  const errors: DocumentError[] = [];
  const placeAt = (file: string, position: number): Place => ({
    file,
    line: sources.parsed(file).getLineAndCharacterOfPosition(position).line + 1,
  });
  const errorAt = (file: string, position: number, message: string): void => {
    errors.push({ ...placeAt(file, position), message });
  };

  const collectCall = (path: string, call: ts.CallExpression, kind: DocumentKind): void => {
    const [argument] = call.arguments;
    if (!argument) return errorAt(path, call.getStart(), `${kind}() takes a document`);
    let locate = (_offset: number): Place => placeAt(path, argument.getStart());
    try {
      const pieces = sources.evaluate(argument, path);
      locate = (offset) => {
        const { file, position } = originOf(pieces, offset);
        return placeAt(file, position);
      };
      const text = pieces.map((piece) => piece.text).join('');
      const document = parse(text);
      documents.push({ kind, name: nameOf(document, kind), text, document, locate });
    } catch (error) {
      if (error instanceof SourceError) return errorAt(error.file, error.position, error.message);
      errors.push({
        ...locate(error instanceof GraphQLError ? (error.positions?.[0] ?? 0) : 0),
        message: (error as Error).message,
      });
    }
  };

  const candidates = sources.paths.filter(
    (path) =>
      !DOOR.test(path) && /\b(query|mutation|subscription)\b|graphql|['"`]\s*\{\s*\w/i.test(sources.textOf(path)),
  );
  for (const path of candidates) {
    const file = sources.parsed(path);
    const doors = documentFunctionsOf(file);
    each(file, (node) => {
      if (
        !ts.isIdentifier(node) ||
        !doors.has(node.text) ||
        ts.isImportSpecifier(node.parent) ||
        ts.isPropertyAccessExpression(node.parent)
      )
        return;
      if (ts.isCallExpression(node.parent) && node.parent.expression === node)
        collectCall(path, node.parent, doors.get(node.text) as DocumentKind);
      else if (!ts.isPropertyAssignment(node.parent))
        errorAt(
          path,
          node.getStart(),
          `${node.text}() must be called directly with a document, and not be passed on or renamed`,
        );
    });
  }
  for (const path of candidates) {
    each(sources.parsed(path), (node) => {
      if (
        (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) &&
        node.type.getText().includes('GraphqlDocument')
      ) {
        errorAt(path, node.getStart(), 'only graphql() turns a string into a document, never a cast');
      }
      if (isUnregisteredOperation(node, sources, rootFields))
        errorAt(path, node.getStart(), 'this GraphQL document is not checked: write it as graphql(`query Name …`)');
    });
  }
  return { documents, errors };
}

/** Source location of an offset in the text formed by the pieces. */
function originOf(pieces: readonly Piece[], offset: number): { readonly file: string; readonly position: number } {
  let start = 0;
  for (const { text, file, position } of pieces) {
    if (offset < start + text.length) return { file, position: position + offset - start };
    start += text.length;
  }
  const { file, position, text } = pieces.at(-1)!;
  return { file, position: position + text.length };
}

/** Local names of the functions that take documents, in a file. */
function documentFunctionsOf(file: ts.SourceFile): ReadonlyMap<string, string> {
  const names = file.statements.flatMap((statement) => {
    if (
      !ts.isImportDeclaration(statement) ||
      !ts.isStringLiteral(statement.moduleSpecifier) ||
      !DOOR.test(statement.moduleSpecifier.text)
    )
      return [];
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) return [];
    return bindings.elements.map(({ name, propertyName }) => [name.text, (propertyName ?? name).text] as const);
  });
  return new Map(names.filter(([, name]) => KINDS.includes(name)));
}

function nameOf({ definitions }: DocumentNode, kind: DocumentKind): string {
  const [definition] = definitions;
  const wanted = kind === 'graphqlFragment' ? Kind.FRAGMENT_DEFINITION : Kind.OPERATION_DEFINITION;
  if (definitions.length !== 1 || definition?.kind !== wanted)
    throw new Error(`${kind}() takes one ${kind === 'graphqlFragment' ? 'fragment' : 'operation'}`);
  if (!definition.name) throw new Error('the operation needs a name, since its types are named after it');
  return definition.name.value;
}

/** True if a literal reads like an operation but is not part of a document. */
function isUnregisteredOperation(node: ts.Node, { read }: Sources, rootFields: ReadonlySet<string>): boolean {
  const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
  if (!isText || read.has(node) || ts.isImportDeclaration(node.parent)) return false;
  const text = ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('x')
    : node.text;
  const found = OPERATION.exec(text);
  if (!found || (found.groups?.['field'] !== undefined && !rootFields.has(found.groups['field']))) return false;
  try {
    parse(text.replaceAll('\\"', '"'));
    return true;
  } catch {
    return false;
  }
}

function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}
