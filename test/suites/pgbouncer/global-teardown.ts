import tearDown from '../../support/global-teardown';

export default async function tearDownWithPgBouncer(): Promise<void> {
  await globalThis.testPgBouncer?.stop();
  await tearDown();
}
