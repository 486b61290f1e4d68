import { fakeClient } from './fake-service';

/** A page of the list, complete until this time. */
const page = (complete_until: string, ...completed: string[]) => ({
  status: 200,
  body: {
    data: completed.map((completed_at) => ({ completed_at })),
    has_more: false,
    next_cursor: null,
    complete_until,
  },
});

const read = (from: string, ...rest: Parameters<typeof page>) =>
  fakeClient([page(...rest)]).client.bank.readWindow({ from });

test('a window ends where the list is complete', async () => {
  const window = await read(
    '2026-11-20T00:00:00.000Z',
    '2026-11-20T10:00:00.000Z',
    '2026-11-20T09:59:59.999Z',
    '2026-11-20T10:00:00.000Z',
  );
  expect(window).toEqual({
    contributions: [{ completed_at: '2026-11-20T09:59:59.999Z' }],
    until: '2026-11-20T10:00:00.000Z',
  });
});

test.each([
  ['without rows', []],
  ['with rows', ['2026-11-20T10:00:02.000Z']],
])('a window that cannot be read yet is empty and does not move back, %s', async (_name, rows) => {
  const from = '2026-11-20T10:00:01.000Z';
  expect(await read(from, '2026-11-20T10:00:00.000Z', ...rows)).toEqual({ contributions: [], until: from });
});
