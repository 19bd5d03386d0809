/**
 * Finds GraphQL documents that are written as plain text: in tests, benchmarks, packages and documentation. TypeScript
 * does not check them, so a renamed field would only fail when they run.
 */
import { readFileSync } from 'node:fs';
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  isObjectType,
  Kind,
  NoUnusedFragmentsRule,
  parse,
  print,
  specifiedRules,
  validate,
} from 'graphql';
import ts from 'typescript';
import { openSources, SourceError, type Sources } from './read-source.ts';

export interface RawDocument {
  /** Path from the root. */
  readonly file: string;
  readonly line: number;
  /** Readings of the text, one for each choice of what an unknown `${…}` may stand for. */
  readonly readings: readonly DocumentNode[];
}

const OPERATION = /^\s*(?:#[^\n]*\n\s*)*(?:(?:query|mutation|subscription|fragment)\b[^;]*\{|\{\s*(?:\w+\s*:\s*)?\w)/;
const CANDIDATE = /\b(?:query|mutation|subscription|fragment)\b|['"`]\s*\{\s*\w/;
/** What an unknown part may be: a name or value, nothing, an argument, a selection. */
const UNKNOWN = 'unknownPart';
const CHOICES = [UNKNOWN, '', `${UNKNOWN}: 1`, `{ ${UNKNOWN} }`];
const CHOICES_MAX = 256;
const MISSING = /is required, but it was not provided|of required type/;
/** A fragment is often a constant of its own. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

/** `paths`: files to search, from the root. */
export function rawDocuments(root: URL, paths: readonly string[]): readonly RawDocument[] {
  const sources = openSources(root);
  return paths.flatMap((file) =>
    /\.[cm]?[jt]sx?$/.test(file)
      ? documentsOfProgram(sources, file)
      : documentsOfText(file, readFileSync(new URL(file, root), 'utf8')),
  );
}

function documentsOfProgram(sources: Sources, file: string): RawDocument[] {
  const found: RawDocument[] = [];
  if (!CANDIDATE.test(sources.textOf(file))) return [];
  const source = sources.parsed(file);
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const parts = partsOf(node) ?? [];
    if (!OPERATION.test(parts.map((part) => (typeof part === 'string' ? part : UNKNOWN)).join(''))) return;
    const readings = readingsOf(parts.map((part) => (typeof part === 'string' ? part : known(part))));
    if (readings.length > 0)
      found.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, readings });
  };
  const known = (expression: ts.Expression): string | null => {
    try {
      return sources
        .evaluate(expression, file)
        .map(({ text }) => text)
        .join('');
    } catch (error) {
      if (error instanceof SourceError) return null;
      throw error;
    }
  };
  visit(source);
  return found;
}

function partsOf(node: ts.Node): readonly (string | ts.Expression)[] | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.flatMap(({ expression, literal }) => [expression, literal.text])];
}

/** `null` is an unknown part. */
function readingsOf(parts: readonly (string | null)[]): readonly DocumentNode[] {
  const texts = parts.reduce<readonly string[]>(
    (starts, part) =>
      starts.length > CHOICES_MAX
        ? starts.map((start) => start + (part ?? UNKNOWN))
        : starts.flatMap((start) => (part === null ? CHOICES : [part]).map((choice) => start + choice)),
    [''],
  );
  return texts.flatMap((text) => {
    try {
      return [parse(text)];
    } catch {
      return [];
    }
  });
}

/** Blocks marked `graphql`, and the values of `"query"` in requests. */
function documentsOfText(file: string, text: string): RawDocument[] {
  const blocks = [...text.matchAll(/^ *```(?:graphql|gql)\n([^]*?)^ *```/gm)];
  const requests = [...text.matchAll(/"query": ?"((?:[^"\\]|\\.)*)"/g)];
  return [
    ...blocks.map(({ index, 1: block = '' }) => ({ index, document: block })),
    ...requests.map(({ index, 1: value = '' }) => ({ index, document: JSON.parse(`"${value}"`) as string })),
  ].flatMap(({ index, document }) =>
    OPERATION.test(document)
      ? [{ file, line: text.slice(0, index).split('\n').length, readings: readingsOf([document]) }]
      : [],
  );
}

/** Returns the errors of the interpretation that has the fewest. A text without a keyword may also be a selection on any type. */
export function errorsOf({ readings }: Pick<RawDocument, 'readings'>, schema: GraphQLSchema): readonly string[] {
  const errors = fewest(readings.map((reading) => errorsIn(reading, schema)));
  return errors.length > 0 && readings.some((reading) => isSelection(reading, schema)) ? [] : errors;
}

function fewest(lists: readonly (readonly string[])[]): readonly string[] {
  return lists.reduce((least, errors) => (errors.length < least.length ? errors : least));
}

function errorsIn(document: DocumentNode, schema: GraphQLSchema): readonly string[] {
  return validate(schema, document, RULES)
    .filter((error) => !isAboutUnknown(error, document))
    .map(({ message }) => message);
}

/** True for an unknown name or value, and for arguments and variables that an unknown part may contain. */
function isAboutUnknown({ message, nodes = [] }: GraphQLError, document: DocumentNode): boolean {
  if (message.includes(UNKNOWN)) return true;
  if (message.endsWith('is never used.')) return sourceOf(document).includes(UNKNOWN);
  return nodes.some((node) => (MISSING.test(message) || !isNamed(node)) && sourceOf(node).includes(UNKNOWN));
}

/** Unlike a value, such a node may contain an unknown part that has nothing to do with the error. */
function isNamed({ kind }: ASTNode): boolean {
  return kind === Kind.FIELD || kind === Kind.OPERATION_DEFINITION || kind === Kind.FRAGMENT_DEFINITION;
}

function sourceOf({ loc }: ASTNode): string {
  return loc?.source.body.slice(loc.start, loc.end) ?? '';
}

function isSelection(document: DocumentNode, schema: GraphQLSchema): boolean {
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || !sourceOf(operation).startsWith('{')) return false;
  const [first] = operation.selectionSet.selections;
  return Object.values(schema.getTypeMap()).some(
    (type) =>
      isObjectType(type) &&
      (first?.kind !== Kind.FIELD || type.getFields()[first.name.value] !== undefined) &&
      errorsIn(parse(`fragment Selection on ${type.name} ${print(operation.selectionSet)}`), schema).length === 0,
  );
}
