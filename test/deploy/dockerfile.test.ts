import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { validate } from 'dockerfile-utils';

import { loadConfig } from '../../src/config';
import { root } from '../support/program';
import {
  commandOf,
  copiedFromCheckout,
  dockerfile,
  environmentOf,
  letThrough,
  readStages,
  stepOf,
} from './dockerfile';

/** The Dockerfile, read. test/deploy/image.try.ts runs its steps. */
const stages = readStages();
const image = stages.at(-1)!;

test('the Dockerfile has no fault that the linter knows', () => {
  expect(validate(dockerfile)).toEqual([]);
});

test('every stage is on one exact version of Node 24', () => {
  expect(stages.length).toBeGreaterThan(1);
  expect(stages[0]!.image).toMatch(/^node:24\.\d+\.\d+-[a-z]+-slim$/);
  expect([...new Set(stages.map((stage) => stage.image))]).toHaveLength(1);
});

test('the image takes its packages from a stage that installs neither development nor optional ones', () => {
  const copied = image.steps.find(
    ({ keyword, words }) => keyword === 'COPY' && words[0]?.endsWith('modules'),
  );
  const source = stages.find(({ name }) => name === copied?.flags['from'])!;
  expect(stepOf(source, 'RUN').words).toEqual(
    expect.arrayContaining(['ci', '--omit=dev', '--omit=optional']),
  );
});

test('in the image nothing is run and nothing comes from the checkout past the build', () => {
  expect(image.steps.filter(({ keyword }) => keyword === 'RUN')).toEqual([]);
  const copies = image.steps.filter(({ keyword }) => keyword === 'COPY');
  expect(copies.map(({ flags }) => flags['from'])).not.toContain(undefined);
});

test('everything that is copied exists, and .dockerignore lets it through and nothing else', () => {
  expect(copiedFromCheckout().filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  expect(letThrough().sort()).toEqual(copiedFromCheckout().sort());
});

test('the image sets only settings that the service knows, and takes its ports from them', () => {
  const environment = environmentOf(image);
  const config = loadConfig({
    ...environment,
    DATABASE_URL: 'postgres://contribution_service@database/contribution_service',
    CREDENTIAL_PEPPERS: '1:a-pepper-for-the-tests-of-the-image',
    PUBLIC_BASE_URL: 'https://api.example.org',
  });
  expect(Object.keys(environment).filter((name) => !(name in config))).toEqual([]);
  expect(config).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', METRICS_HOST: '0.0.0.0' });
  expect(stepOf(image, 'EXPOSE').words).toEqual([config.PORT, config.METRICS_PORT].map(String));
});

test('the process is node, not root, and is told to end by a signal that it hears', () => {
  expect(stepOf(image, 'USER').text).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  expect(stepOf(image, 'STOPSIGNAL').text).toBe('SIGTERM');
  expect(commandOf(stepOf(image, 'CMD'))).toEqual(['node', 'dist/src/server.js']);
});

test('the programs that the image names are compiled from sources that exist', () => {
  const named = [...dockerfile.matchAll(/dist\/([\w/-]+)\.js/g)].map(([, name = '']) => `${name}.ts`);
  expect(named).toEqual(expect.arrayContaining(['src/server.ts', 'src/cli/health.ts', 'src/cli/migrate.ts']));
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

test('the health check asks a path that the service has', () => {
  const [node, program, what = ''] = commandOf(stepOf(image, 'HEALTHCHECK'));
  expect([node, program]).toEqual(['node', 'dist/src/cli/health.js']);
  const source = (file: string): string => readFileSync(path.join(root, 'src', file), 'utf8');
  expect(source('app.ts')).toContain(`app.use('/health', healthRouter(`);
  expect(source('modules/health/health.router.ts')).toContain(`router.get('/${what}'`);
});
