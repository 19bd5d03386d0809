import { describe, expect, it } from 'vitest';
import { openApiErrors } from '../../tools/openapi/openapi-errors.ts';
import { projectText } from '../support/project-files.ts';

/** The service's own document with one change. */
function errorsOf(change: (document: any) => void): string[] {
  const document = JSON.parse(projectText('schema/openapi.json'));
  change(document);
  return openApiErrors(document);
}

const BY_MODEL = '/cost-data/by-model';

it('the check finds nothing in the document of this service', () => {
  expect(errorsOf(() => {})).toEqual([]);
});

describe('the check of OpenAPI', () => {
  it('refuses an empty description, wherever it is', () => {
    expect(
      errorsOf(({ components }) => {
        components.headers['Retry-After'].description = ' ';
      }),
    ).toEqual(['#/components/headers/Retry-After has an empty description']);
    expect(
      errorsOf(({ tags }) => {
        tags[0].description = '';
      }),
    ).toEqual(['#/tags/0 has an empty description']);
  });

  it('refuses a property, a schema or an operation without a description', () => {
    expect(
      errorsOf(({ components }) => {
        delete components.schemas.ModelCost.properties.model_slug.description;
      }),
    ).toEqual(['#/components/schemas/ModelCost/properties/model_slug has no description']);
    expect(
      errorsOf(({ components }) => {
        delete components.schemas.ModelCost.description;
      }),
    ).toEqual(['#/components/schemas/ModelCost has no description']);
    expect(
      errorsOf(({ paths }) => {
        delete paths[BY_MODEL].get.description;
      }),
    ).toEqual([`GET ${BY_MODEL} has no description`]);
  });

  it('refuses an operation without an example of its request or response', () => {
    expect(
      errorsOf(({ paths }) => {
        delete paths[BY_MODEL].get.responses['200'].content['application/json'].example;
      }),
    ).toEqual([`GET ${BY_MODEL}, 200 has no example for application/json`]);
    expect(
      errorsOf(({ paths }) => {
        delete paths['/usage-events'].post.requestBody.content['application/json'].example;
      }),
    ).toEqual(['POST /usage-events, request has no example for application/json']);
  });

  it('refuses an example that does not match its schema, or contains more', () => {
    const example = (document: any) =>
      document.paths[BY_MODEL].get.responses['200'].content['application/json'].example;
    expect(
      errorsOf((document) => {
        example(document).total_cost = 0.021;
      }),
    ).toEqual([expect.stringMatching(/by-model, 200: the example \/total_cost must be string/)]);
    expect(
      errorsOf((document) => {
        example(document).models[0].colour = 'red';
      }),
    ).toEqual([expect.stringMatching(/the example \/models\/0 must NOT have additional properties .*colour/)]);
    expect(
      errorsOf((document) => {
        delete example(document).models;
      }),
    ).toEqual([expect.stringMatching(/must have required property 'models'/)]);
  });
});
