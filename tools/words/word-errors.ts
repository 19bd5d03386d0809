/** Finds forbidden words in the names that code declares, in the names of files, and in prose. */
import ts from 'typescript';
import { FORBIDDEN_NAMES, FORBIDDEN_PROSE, type ForbiddenWord } from './forbidden-words.ts';

/** One line for each, with the word to take instead. `path` is from the root; code, Markdown and GraphQL are known. */
export function wordErrors(path: string, text: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
  return [
    ...refused(path, name, FORBIDDEN_NAMES, `${path}: its name`),
    ...(path.endsWith('.ts') ? [...namesIn(path, text), ...commentsIn(path, text)] : proseIn(path, text, 0, text)),
  ];
}

function namesIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const errors: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = declaredName(node);
    if (name)
      errors.push(
        ...refused(path, wordsOf(name.text), FORBIDDEN_NAMES, `${placeOf(path, text, name.getStart())}: ${name.text}`),
      );
    ts.forEachChild(node, visit);
  };
  visit(file);
  return errors;
}

/** Not a property of an object: its name may be a library's, a column's or the graph's. */
function declaredName(node: ts.Node): ts.Identifier | undefined {
  const declares =
    ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node);
  return declares && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

/** `brokenHour` and `BROKEN_HOUR` are `broken-hour`. */
function wordsOf(identifier: string): string {
  return identifier
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .replace(/^-/, '')
    .toLowerCase();
}

function commentsIn(path: string, text: string): string[] {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/[^\n]*/gm)];
  return comments.flatMap(({ 0: comment, index }) => proseIn(path, comment, index, text));
}

/** What is quoted as code is not prose. */
function proseIn(path: string, prose: string, from: number, text: string): string[] {
  const plain = prose.replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  return FORBIDDEN_PROSE.flatMap(({ pattern, say }) =>
    [...plain.matchAll(new RegExp(pattern, 'gi'))].map(
      ({ 0: word, index }) => `${placeOf(path, text, from + index)}: "${word}": write ${say} (docs/glossary.md)`,
    ),
  );
}

function refused(path: string, words: string, forbidden: readonly ForbiddenWord[], subject: string): string[] {
  return forbidden
    .filter(({ pattern, except }) => pattern.test(words) && !except?.test(path))
    .map(({ say }) => `${subject}: write ${say} (docs/glossary.md)`);
}

function placeOf(path: string, text: string, position: number): string {
  return `${path}:${text.slice(0, position).split('\n').length}`;
}
