export default async function tearDownCitus(): Promise<void> {
  await globalThis.testCitus?.remove();
}
