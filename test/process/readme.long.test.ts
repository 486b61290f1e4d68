import { DocumentReader, readmeRequests } from '../support/document-reader';
import { withoutVariableParts } from '../support/documents';
import { killLeftoverProcesses } from '../support/program';

/** Runs the README's commands in order and compares their output with the README. */
const requests = readmeRequests();

let reader: DocumentReader;

beforeAll(async () => {
  reader = await DocumentReader.start();
  await reader.read('README');
});
afterAll(async () => {
  await reader.stop();
  await killLeftoverProcesses();
});

test('npm start links to the documentation and the SDK', () => {
  expect(reader.greeting).toMatch(/^Documentation: http\S+\/docs$/m);
  expect(reader.greeting).toMatch(/^To write your own program, follow http\S+\/docs\/typescript-sdk$/m);
});

test.each(
  requests.map((block, index) => [block.text.trim().split('\n').at(-1) ?? '', block, index] as const),
)('%s prints the output that the README shows', (_command, { expectedOutput }, index) => {
  if (expectedOutput === undefined) {
    expect(reader.outputs.get('README sh')![index]!.trim()).toBe('');
    return;
  }
  expect(withoutVariableParts(reader.outputs.get('README sh')![index]!)).toEqual(
    withoutVariableParts(expectedOutput.text),
  );
});
