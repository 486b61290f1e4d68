import type { Command } from 'commander';
import { type Test } from 'supertest';

import { listContracts } from '../../src/contracts';
import type { CommandIo } from '../../src/operator/cli/command-io';
import { createProgram } from '../../src/operator/cli/program';
import { takeViolations } from '../support/openapi/violations';
import { addProject, addStory } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The core serves the specification without any feature. */
let service: TestService;
let company: TestCompany;
let projectId: number;
let storyId: number;

const root = '/company/integration';

beforeAll(async () => {
  service = await startService({ features: [], settings: { DELIVERY: 'on' } });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
  storyId = await addStory(service.database.admin, projectId);
});
afterAll(() => service.stop());

const order = (user: string) => ({ project_id: projectId, amount: '25.00', user_hash: user });

const creates: Readonly<Record<string, (user: string) => Test>> = {
  createContribution: (user) => company.test.put(`${root}/contributions/create`, order(user)),
  makeOrder: (user) => company.test.post(`${root}/orders/make`, order(user)),
  createPayment: (user) => company.test.post(`${root}/create/payment`, order(user)),
};

test.each(Object.keys(creates))('%s creates a contribution, which can be completed', async (operation) => {
  const created = await creates[operation]!(operation).expect(201);
  const { transaction_id: id } = created.body as { transaction_id: string };
  const completed = await company.test
    .put(`${root}/contributions/${id}`, { status: 'completed' })
    .expect(200);
  expect(completed.body).toMatchObject({ transaction_id: id, status: 'completed' });
  const read = await company.test.get(`${root}/contributions/${id}`).expect(200);
  expect(read.body).toMatchObject({ status: 'completed', amount: '25.00' });
});

test('projects and stories are shown', async () => {
  const list = await company.test.get(`${root}/get/projects`).expect(200);
  expect(list.body).toMatchObject({ data: [{ project_id: projectId }] });
  await company.test.get(`${root}/get/project/${projectId}`).expect(200);
  await company.test.put(`${root}/stories/${storyId}/views`, { user_hash: 'viewer' }).expect(204);
  const main = await company.test.get(`${root}/projects-stories?user_hash=makeOrder`).expect(200);
  expect(main.body).toMatchObject({ data: [{ project_id: projectId, is_supported: true }] });
});

test('has an operation for each section of the specification', () => {
  const alone = listContracts({ minimumCents: 1n, maximumCents: 100n }, []);
  const everything = listContracts({ minimumCents: 1n, maximumCents: 100n });
  const ofSpecification = (contracts: typeof alone) =>
    contracts.filter(({ origin }) => origin !== 'addition').map(({ origin }) => origin);
  expect(new Set(ofSpecification(alone)).size).toBe(6);
  expect(ofSpecification(alone)).toEqual(ofSpecification(everything));
});

test('has no path of a feature, and injects no fault', async () => {
  for (const path of ['/events', '/sandbox/settings']) {
    const response = await fetch(`http://127.0.0.1:${service.port}${root}${path}`, {
      headers: { 'API-Key': company.test.apiKey!, 'API-Secret': company.test.apiSecret! },
    });
    expect(await response.json()).toMatchObject({
      status: 404,
      type: expect.stringContaining('path_not_found'),
    });
  }
  // The document has the paths of all features.
  takeViolations();
  await creates['makeOrder']!('faulty').set('Sandbox-Fault', '503_before').expect(201);
});

test('the operator has the commands of the core', () => {
  const namesOf = (parent: Pick<Command, 'commands'> | undefined): string[] =>
    parent?.commands.map((command) => command.name()) ?? [];
  const program = createProgram({} as CommandIo, []);
  expect(namesOf(program)).toEqual([
    ...['companies', 'keys', 'peppers', 'projects', 'stories', 'contributions', 'users'],
    ...['actions', 'whoami', 'doctor', 'verify', 'completion'],
  ]);
  expect(namesOf(program.commands.find((command) => command.name() === 'contributions'))).not.toContain(
    'totals',
  );
});
