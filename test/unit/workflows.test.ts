import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');
const folder = path.join(root, '.github', 'workflows');
const workflows = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]);

test.each(workflows)('%s pins each action by its digest and may only read', (_name, text) => {
  const actions = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action!))).toEqual([]);
  expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  expect(text.match(/permissions:/g)).toHaveLength(1);
});

test('a checkout on Windows leaves the line ends, so the programs of bin/ start', () => {
  expect(readFileSync(path.join(root, '.gitattributes'), 'utf8')).toMatch(/^\* text=auto eol=lf$/m);
});
