/** JSON Schema for the OpenAPI document, and the few shapes that all responses are made of. */
export type JsonSchema = { readonly [key: string]: unknown };

/** An object whose fields are all present, except those in `optional`, which may be absent. */
export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

export function array(items: JsonSchema, description?: string): JsonSchema {
  return { type: 'array', items, ...(description ? { description } : {}) };
}

export function nullable(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema['type'], 'null'] };
}

export function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', description, ...more };
}

export function integer(description: string): JsonSchema {
  return { type: 'integer', description };
}

export function instant(description: string): JsonSchema {
  return { type: 'string', format: 'date-time', description };
}
