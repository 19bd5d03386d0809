/** The service's source files, parsed once, and the values of their constants without running them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A piece of text with its source location. */
export interface Piece {
  readonly text: string;
  /** Path from the root. */
  readonly file: string;
  readonly position: number;
}

/** An expression that cannot be evaluated, with its location. */
export class SourceError extends Error {
  readonly file: string;
  readonly position: number;

  constructor(message: string, file: string, position: number) {
    super(message);
    this.file = file;
    this.position = position;
  }
}

export interface Sources {
  /** Paths from the root of all production files, sorted. */
  readonly paths: readonly string[];
  textOf(path: string): string;
  parsed(path: string): ts.SourceFile;
  /** The pieces of a string built only from literals and constants. Fails with a `SourceError` for anything else. */
  evaluate(node: ts.Expression, path: string): readonly Piece[];
  /** Literals read by an evaluation. */
  readonly read: ReadonlySet<ts.Node>;
}

const NOT_OURS = new Set(['node_modules', 'coverage', 'test-results', 'playwright-report']);
const LEFT_OUT = new Set(['test', 'docs']);

export function openSources(root: URL): Sources {
  const files = new Map<string, ts.SourceFile>();
  const texts = new Map<string, string>();
  const read = new Set<ts.Node>();

  const textOf = (path: string): string => {
    const known = texts.get(path) ?? readFileSync(new URL(path, root), 'utf8');
    texts.set(path, known);
    return known;
  };
  const parsed = (path: string): ts.SourceFile => {
    const known = files.get(path) ?? ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ESNext, true);
    files.set(path, known);
    return known;
  };

  const evaluate = (node: ts.Expression, path: string): readonly Piece[] => {
    const piece = (literal: ts.LiteralLikeNode): Piece => {
      read.add(literal);
      return { text: literal.text, file: path, position: literal.getStart() + 1 };
    };
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [piece(node)];
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return evaluate(node.expression, path);
    if (ts.isTemplateExpression(node)) {
      read.add(node);
      return [
        piece(node.head),
        ...node.templateSpans.flatMap(({ expression, literal }) => [...evaluate(expression, path), piece(literal)]),
      ];
    }
    if (ts.isIdentifier(node)) {
      const constant = constantOf(parsed(path), node.text);
      if (constant) return evaluate(constant, path);
      const imported = importOf(parsed(path), node.text);
      if (imported) {
        const target = targetOf(imported.specifier, path, root);
        const exported = constantOf(parsed(target), imported.name);
        if (exported) return evaluate(exported, target);
      }
    }
    throw new SourceError(
      'documents are read without running the code: use only string literals and constants that are strings',
      path,
      node.getStart(),
    );
  };

  return { paths: productionFiles(root), textOf, parsed, evaluate, read };
}

function productionFiles(root: URL): string[] {
  return repositoryFiles(root).filter(
    (path) => /(?<!\.generated|\.d)\.ts$/.test(path) && !LEFT_OUT.has(path.split('/', 1)[0] ?? ''),
  );
}

/** Paths from the root, sorted; without hidden files, dependencies and reports. */
export function repositoryFiles(root: URL, folder = ''): string[] {
  return readdirSync(new URL(folder, root), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !NOT_OURS.has(name))
    .flatMap((entry) =>
      entry.isDirectory() ? repositoryFiles(root, `${folder}${entry.name}/`) : [`${folder}${entry.name}`],
    )
    .sort();
}

function constantOf(file: ts.SourceFile, name: string): ts.Expression | undefined {
  let found: ts.Expression | undefined;
  const visit = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.name.text === name &&
      node.parent.flags & ts.NodeFlags.Const
    )
      found ??= node.initializer;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The imported file's path from the root. A subpath import (`#schema/…`) already starts there. */
function targetOf(specifier: string, path: string, root: URL): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return fileURLToPath(new URL(specifier, new URL(path, root))).slice(fileURLToPath(root).length);
}

function importOf(
  file: ts.SourceFile,
  name: string,
): { readonly specifier: string; readonly name: string } | undefined {
  for (const statement of file.statements) {
    if (
      !ts.isImportDeclaration(statement) ||
      !ts.isStringLiteral(statement.moduleSpecifier) ||
      !/^[.#]/.test(statement.moduleSpecifier.text)
    )
      continue;
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    const element = bindings.elements.find((candidate) => candidate.name.text === name);
    if (element)
      return { specifier: statement.moduleSpecifier.text, name: (element.propertyName ?? element.name).text };
  }
  return undefined;
}
