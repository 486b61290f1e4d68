import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ConfigurationError, readSettings } from '../../src/read-settings';
import { listSettings } from '../../src/contracts';
import { secretNames } from '../../src/service.settings';
import { temporaryFolder } from '../support/program';
import { randomPepper } from '../support/pepper';

/** Secrets from files: NAME_FILE names the file of the setting NAME. */
const schema = listSettings();
const secrets = secretNames(schema);
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const fileWith = (name: string, content: string | Buffer): string => {
  const file = path.join(folder.path, name);
  writeFileSync(file, content);
  return file;
};
/** A pipe without a writer. Opening it would wait for one. */
const pipe = (name: string): string => {
  const file = path.join(folder.path, name);
  execFileSync('mkfifo', [file]);
  return file;
};
const problemsOf = (environment: Record<string, string>): string => {
  try {
    readSettings(environment);
    return '';
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
};

const url = 'postgres://somebody:a-password@127.0.0.1:5432/contributions';
const valueOf = (name: string): string => (name.endsWith('_URL') ? url : `1:${randomPepper}`);

test('every setting whose value can contain a secret can come from a file', () => {
  expect([...secrets].sort()).toEqual(
    Object.keys(schema.shape)
      .filter((name) => /^DATABASE_(\w+_)?URL$|PEPPER|SECRET|PASSWORD|TOKEN/.test(name))
      .sort(),
  );
});

test.each(secrets.map((name) => [name]))('%s_FILE has the same effect as %s', (name) => {
  const others = name === 'DATABASE_URL' ? {} : { DATABASE_URL: url };
  const expected = readSettings({ ...others, [name]: valueOf(name) }, schema);
  for (const end of ['', '\n', '\r\n']) {
    const file = fileWith(name, valueOf(name) + end);
    expect(readSettings({ ...others, [`${name}_FILE`]: file }, schema)).toEqual(expected);
  }
});

test('an empty NAME_FILE counts as absent', () => {
  expect(readSettings({ DATABASE_URL: url, DATABASE_URL_FILE: '' }).DATABASE_URL).toBe(url);
});

test('a setting and its file together are an error', () => {
  const file = fileWith('both', url);
  expect(problemsOf({ DATABASE_URL: url, DATABASE_URL_FILE: file })).toContain(
    'DATABASE_URL, DATABASE_URL_FILE: set only one of them',
  );
});

test('only one line break at the end is removed', () => {
  const file = fileWith('two-lines', `1:${randomPepper}\n\n\n`);
  expect(problemsOf({ CREDENTIAL_PEPPERS_FILE: file })).not.toContain(randomPepper);
  const { DATABASE_URL: read } = readSettings({ DATABASE_URL_FILE: fileWith('url', `${url}\n\n`) });
  expect(read).toBe(`${url}\n`);
});

test('the setting of a file that cannot be used is named, but neither its value nor the content', () => {
  const secret = 'not-an-address-but-secret';
  const isRoot = process.getuid?.() === 0;
  mkdirSync(path.join(folder.path, 'a-folder'));
  const denied = fileWith('denied', url);
  chmodSync(denied, 0o000);
  const cases: [string, RegExp][] = [
    [path.join(folder.path, 'missing'), /ENOENT/],
    [path.join(folder.path, 'a-folder'), /it is not a regular file/],
    [pipe('a-pipe'), /it is not a regular file/],
    ['/dev/null', /it is not a regular file/],
    [fileWith('empty', '\n'), /it is empty/],
    [fileWith('large', secret.repeat(3_000)), /it has more than 65536 bytes/],
    ...(isRoot ? [] : [[denied, /EACCES/] as [string, RegExp]]),
  ];
  for (const [file, reason] of cases) {
    const message = problemsOf({ DATABASE_URL_FILE: file });
    expect(message).toContain('DATABASE_URL_FILE: cannot read the file that it names (');
    expect(message).not.toContain(file);
    expect(message).toMatch(reason);
    expect(message).not.toContain(secret);
  }
  const invalid = problemsOf({ DATABASE_URL_FILE: fileWith('invalid', secret) });
  expect(invalid).toContain('DATABASE_URL: must be postgres://');
  expect(invalid).not.toContain(secret);
});

test('production accepts its secrets from files', () => {
  const config = readSettings({
    NODE_ENV: 'production',
    DATABASE_URL_FILE: fileWith('production-url', `${url}\n`),
    CREDENTIAL_PEPPERS_FILE: fileWith('peppers', `1:${randomPepper}\n`),
    PUBLIC_BASE_URL: 'https://api.example.org',
  });
  expect([config.DATABASE_URL, config.CREDENTIAL_PEPPERS?.size]).toEqual([url, 1]);
});
