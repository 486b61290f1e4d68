import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
  required?: string[];
}
interface Operation {
  operationId: string;
  parameters?: { name?: string }[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
const document = JSON.parse(
  readFileSync(path.join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8'),
) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!;

/** The operations whose response has `data`, with the members that are always present. */
const lists = Object.values(document.paths).flatMap(({ get }) => {
  const schema = get?.responses['200']?.content?.['application/json']?.schema;
  if (!get || !schema) return [];
  const { properties = {}, required = [] } = resolved(schema);
  const hasCursor = (get.parameters ?? []).some(({ name }) => name === 'cursor');
  return 'data' in properties ? [{ operationId: get.operationId, required, hasCursor }] : [];
});

/** The specification defines the first response. The second is a sum and is always complete. */
const complete = ['canCloseMonth', 'getProjectsAndStories', 'summarizeContributions'];

test('every list says whether it has more, and a list with a cursor has the next one', () => {
  expect(lists.length).toBeGreaterThan(15);
  const without = (member: string, among: typeof lists): string[] =>
    among.filter(({ required }) => !required.includes(member)).map(({ operationId }) => operationId);
  expect(without('has_more', lists).sort()).toEqual(complete);
  expect(
    without(
      'next_cursor',
      lists.filter(({ hasCursor }) => hasCursor),
    ),
  ).toEqual([]);
});
