/** Values in the public graph have types. JSON is only for foreign payloads that pass through unread. */
import { buildSchema, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { projectText } from '../support/project-files.ts';

/** Fields and arguments, and the payload that they contain. */
const FOREIGN: Readonly<Record<string, string>> = {
  'AlertQuery.variables': 'variables of a GraphQL request',
  'CatalogueImportInput.providers': 'the published file of genai-prices',
  'Mutation.ingestUsageEvent': 'the bytes of POST /v1/usage-events',
  'Mutation.ingestUsageEvent(event)': 'the bytes of POST /v1/usage-events',
  'Mutation.ingestUsageEvents': 'the bytes of POST /v1/usage-events/batch',
  'Mutation.ingestUsageEvents(events)': 'the bytes of POST /v1/usage-events/batch',
  'Outcome.metadata': "the caller's metadata",
  'OutcomeAttempt.metadata': "the caller's metadata",
  'OutcomeVersion.metadata': "the caller's metadata",
  'OutcomesRecordInput.outcomes': 'the body of POST /ext/v1/outcomes',
  'PasskeyConfirmInput.response': 'WebAuthn: RegistrationResponseJSON',
  'PasskeyOptions.options': 'WebAuthn: PublicKeyCredentialCreationOptionsJSON',
  'Query.priceUsage(usage)': "a usage object of a provider's response",
  'ReceivedEvent.metadata': "the caller's metadata",
  'UsageEvent.metadata': "the caller's metadata",
};

it('only fields and arguments for foreign payloads are JSON', () => {
  const schema = buildSchema(projectText('schema/api.graphql'));
  const isJson = ({ type }: { readonly type: Parameters<typeof getNamedType>[0] }) =>
    getNamedType(type)?.name === 'JSON';
  const found = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isInputObjectType(type))
      return Object.values(type.getFields())
        .filter(isJson)
        .map(({ name }) => `${type.name}.${name}`);
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => [
      ...(isJson(field) ? [`${type.name}.${field.name}`] : []),
      ...field.args.filter(isJson).map(({ name }) => `${type.name}.${field.name}(${name})`),
    ]);
  });
  expect(found.toSorted()).toEqual(Object.keys(FOREIGN));
});
