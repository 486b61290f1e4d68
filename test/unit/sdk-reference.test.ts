import { listOperations } from '../../scripts/generate/sdk-operations';
import { createSdkReference } from '../../scripts/generate/sdk-reference';
import * as sdk from '../../packages/sdk/src/index';
import * as sdkForNode from '../../packages/sdk/src/node/index';
import { pathOf, sdkPages } from '../../src/features/documentation/links';
import { pageOfOperation } from '../../src/features/documentation/reference-groups';
import { readSdkDocument } from '../../src/features/documentation/sdk-reference/sdk-document';
import {
  createSdkNames,
  idOfMember,
  sdkPageOf,
} from '../../src/features/documentation/sdk-reference/sdk-names';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { contracts, openApiDocument, renderDocumentation } from '../support/rendered-documentation';

const responses = renderDocumentation();
const entries = readSdkDocument();
const names = createSdkNames(entries);
const textOf = (path: string): string => String(responses.get(path)?.content);
const members = entries.flatMap((entry) => entry.members.map((member) => ({ entry, member })));

/** The HTML from an id to the next one. */
function sectionOf(page: string, id: string): string {
  const [, from = ''] = textOf(page).split(`id="${id}"`);
  return from.split(' id="')[0] ?? '';
}

test('is generated from the sources', () => {
  expect(createSdkReference(listOperations(openApiDocument))).toEqual(entries);
});

test('every value that a program can import is in the reference', () => {
  const exported = [...Object.keys(sdk), ...Object.keys(sdkForNode)];
  expect(exported.length).toBeGreaterThan(15);
  const values = entries.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name);
  expect(values.sort()).toEqual(exported.sort());
});

test.each(entries.map((entry) => [entry.name, entry] as const))(
  '%s is on a page, with a description and its import',
  (name, entry) => {
    expect(entry.description).toMatch(/^[A-Z0-9].{10,}\.$/s);
    const section = sectionOf(pathOf(sdkPageOf(entry)), name);
    expect(section).toMatch(/<p>.{10,}<\/p>/s);
    expect(textOf('/docs/sdk-reference')).toContain(`#${name}"><code>${names.labelOf(entry)}</code>`);
  },
);

test('every member and every parameter has a description', () => {
  expect(members.length).toBeGreaterThan(150);
  const parameters = [
    ...entries.flatMap(({ name, call }) => (call?.parameters ?? []).map((each) => ({ of: name, ...each }))),
    ...members.flatMap(({ entry, member }) =>
      (member.method?.parameters ?? []).map((each) => ({ of: idOfMember(entry, member), ...each })),
    ),
  ];
  expect(parameters.length).toBeGreaterThan(100);
  const isUndescribed = ({ description }: { description: string }): boolean =>
    !/^.{5,}\.(\*\*)?$/s.test(description);
  expect(parameters.filter(isUndescribed)).toEqual([]);
  expect(
    members
      .filter(({ member }) => isUndescribed(member))
      .map(({ entry, member }) => idOfMember(entry, member)),
  ).toEqual([]);
});

test.each(members.map(({ entry, member }) => [idOfMember(entry, member), entry, member] as const))(
  '%s has an anchor, its type and its errors',
  (id, entry, member) => {
    const section = sectionOf(pathOf(sdkPageOf(entry)), id);
    const text = section.replace(/<[^>]+>/g, '');
    expect(text).toContain(
      member.type
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll("'", '&#39;'),
    );
    for (const { name } of member.method?.parameters ?? []) expect(text).toContain(name);
    for (const thrown of member.throws) expect(text).toContain(thrown.split(/[ ,]/)[0]);
  },
);

test('every public method of every resource is described', () => {
  const client = new sdk.ContributionService({
    apiUrl: 'http://127.0.0.1:1/company/integration',
    ...drawKeyPair('test'),
  });
  const namesOf = (prototype: object | null): string[] =>
    prototype === null || prototype === Object.prototype
      ? []
      : [...Object.getOwnPropertyNames(prototype), ...namesOf(Object.getPrototypeOf(prototype))];
  const methodsOf = (value: object, path: string): string[] => [
    ...namesOf(Object.getPrototypeOf(value))
      .filter((name) => name !== 'constructor')
      .map((name) => `${path}.${name}`),
    ...Object.entries(value)
      .filter(([, part]) => typeof part === 'object')
      .flatMap(([name, part]) => methodsOf(part as object, `${path}.${name}`)),
  ];
  const described = members
    .filter(({ entry, member }) => member.method && names.pathOf(entry) !== undefined)
    .map(({ entry, member }) => `${names.pathOf(entry)}.${member.name}`);
  expect(described.length).toBeGreaterThan(50);
  expect(described.sort()).toEqual(methodsOf(client, 'client').sort());
});

test('a method and its operation link to each other', () => {
  // The SDK has no method for the other two paths of a create.
  const withoutMethod = ['createPayment', 'makeOrder'];
  for (const contract of contracts) {
    const { operationId } = contract;
    const methods = names.methodsOf(operationId);
    expect([operationId, methods.length > 0]).toEqual([operationId, !withoutMethod.includes(operationId)]);
    const page = pageOfOperation(contract);
    for (const { page: sdkPage, id } of methods) {
      expect(textOf(pathOf(page))).toContain(`href="../${sdkPage}#${id}"`);
      expect(sectionOf(pathOf(sdkPage), id)).toContain(`href="${page}#${operationId}"`);
    }
  }
});

test('no page shows what is internal to the SDK', () => {
  for (const page of sdkPages)
    expect(textOf(pathOf(page))).not.toMatch(
      /#transport|#settler|declare |Transport|Settler|private|protected/,
    );
});

test('the guide links to the reference and to the names that it uses', () => {
  const guide = textOf('/docs/typescript-sdk');
  for (const address of [
    'sdk-reference"',
    'sdk-errors#RateLimited"',
    'sdk-options#FileIntentStore"',
    'sdk-options#ContributionServiceOptions.maxAttempts"',
    'sdk-reference#ContributionService.recover"',
  ])
    expect(guide).toContain(`href="${address}`);
});
