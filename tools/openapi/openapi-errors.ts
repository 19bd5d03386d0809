/**
 * Checks of an OpenAPI document that an external linter lacks: everything is described, and every operation has a
 * valid example.
 */
import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = { readonly [key: string]: unknown };

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** One sentence per fault, with its location in the document. */
export function openApiErrors(document: Json): string[] {
  const errors: string[] = [];
  const isRight = exampleCheck(document);
  const followed = (value: unknown): Json => {
    const { $ref } = value as { $ref?: string };
    return $ref === undefined
      ? (value as Json)
      : $ref
          .slice(2)
          .split('/')
          .reduce<Json>((node, part) => node[part] as Json, document);
  };

  const checkContent = (holder: Json, where: string): void => {
    for (const [type, media] of Object.entries((holder['content'] ?? {}) as Record<string, Json>)) {
      if (media['example'] === undefined) errors.push(`${where} has no example for ${type}`);
      else
        for (const error of isRight(media['schema'] as Json, media['example']))
          errors.push(`${where}: the example ${error}`);
    }
  };

  for (const [path, item] of Object.entries(document['paths'] as Record<string, Json>)) {
    for (const method of METHODS.filter((name) => item[name] !== undefined)) {
      const operation = item[method] as Json;
      const where = `${method.toUpperCase()} ${path}`;
      for (const name of ['operationId', 'summary', 'description'])
        if (!isText(operation[name])) errors.push(`${where} has no ${name}`);
      if (operation['requestBody'] !== undefined) checkContent(operation['requestBody'] as Json, `${where}, request`);
      for (const [status, response] of Object.entries(operation['responses'] as Json))
        checkContent(followed(response), `${where}, ${status}`);
    }
  }
  walk(document, '#', (node, place) => {
    for (const name of ['description', 'summary'])
      if (typeof node[name] === 'string' && !isText(node[name])) errors.push(`${place} has an empty ${name}`);
    if (node['properties'] && typeof node['properties'] === 'object' && node['type'] === 'object') {
      for (const [name, property] of Object.entries(node['properties']))
        if (!isText((property as Json)['description'])) errors.push(`${place}/properties/${name} has no description`);
    }
    if (/\/components\/schemas\/\w+$/.test(place) && !isText(node['description']))
      errors.push(`${place} has no description`);
    if (/\/parameters\/\d+$/.test(place) && !isText(node['description'])) errors.push(`${place} has no description`);
  });
  return errors;
}

/** Returns the errors of an example; a member that is not in its schema is an error. */
function exampleCheck(document: Json): (schema: Json, example: unknown) => string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv, ['uuid', 'date-time', 'date']);
  ajv.addFormat('double', true);
  ajv.addFormat('int32', true);
  ajv.addSchema(closed(document) as Json, 'openapi');
  // Most responses are errors of the same shape.
  const compiled = new Map<string, ValidateFunction>();
  return (schema, example) => {
    const absolute = JSON.stringify(closed(schema)).replaceAll('"#/', '"openapi#/');
    const validate = compiled.get(absolute) ?? ajv.compile(JSON.parse(absolute) as Json);
    compiled.set(absolute, validate);
    return validate(example)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath || 'as a whole'} ${message} ${JSON.stringify(params)}`,
        );
  };
}

/** A copy of the schema that forbids members it does not name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return copy['type'] === 'object' && copy['properties'] !== undefined && copy['additionalProperties'] === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}

function walk(value: unknown, place: string, visit: (node: Json, place: string) => void): void {
  if (Array.isArray(value)) value.forEach((item, index) => walk(item, `${place}/${index}`, visit));
  else if (typeof value === 'object' && value !== null) {
    visit(value as Json, place);
    for (const [name, member] of Object.entries(value))
      if (name !== 'example' && name !== 'examples') walk(member, `${place}/${name.replaceAll('/', '~1')}`, visit);
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
