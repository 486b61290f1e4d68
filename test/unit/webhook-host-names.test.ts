import { createDestinations } from '../../src/features/webhooks/sending/destinations';
import { createNameServers } from '../../src/features/webhooks/sending/host-names';
import { startNameServer } from '../support/name-server';

/** Host names of endpoints, resolved by a name server on this machine. */
const v6 = Buffer.from('26064700000000000000000000000001', 'hex');

test('both kinds of addresses are found, and a host with one kind is found too', async () => {
  const server = await startNameServer((host) =>
    host.startsWith('both') ? { v4: '93.184.215.14', v6 } : { v4: '93.184.215.14' },
  );
  const resolve = createNameServers([server.address]);
  expect(await resolve('both.example.com')).toEqual(['93.184.215.14', '2606:4700::1']);
  expect(await resolve('one.example.com')).toEqual(['93.184.215.14']);
  server.stop();
});

test('a private address beside a public one is refused', async () => {
  const server = await startNameServer(() => ({ v4: '10.0.0.1', v6 }));
  const destinations = createDestinations(false, createNameServers([server.address]));
  expect(await destinations.refusal(new URL('https://app.example.com/'))).toMatch(/public/);
  server.stop();
});

test('a host without addresses is a failure of the name', async () => {
  const server = await startNameServer(() => ({}));
  await expect(createNameServers([server.address])('none.example.com')).rejects.toMatchObject({
    code: 'ENOTFOUND',
  });
  server.stop();
});

test('name servers that do not respond delay no other host', async () => {
  const server = await startNameServer((host) =>
    host.endsWith('slow.example.com') ? undefined : { v4: '93.184.215.14' },
  );
  const resolve = createNameServers([server.address]);
  const slow = Array.from({ length: 30 }, (_, index) => resolve(`h${index}.slow.example.com`));
  const ends = Promise.allSettled(slow);
  // Otherwise, this lookup too would reach its timeout.
  expect(await resolve('app.example.com')).toEqual(['93.184.215.14']);
  for (const { status } of await ends) expect(status).toBe('rejected');
  server.stop();
});
