import { PassThrough } from 'node:stream';

import { confirm, NotConfirmed } from '../../src/operator/cli/confirm';

const question = 'All of it will be gone.';
const terminal = (isTTY: boolean) => ({
  stdin: Object.assign(new PassThrough(), { isTTY }),
  stderr: Object.assign(new PassThrough(), { isTTY }),
});

/** Asks for confirmation, types this reply, and returns the shown text. */
async function answering(typed: string): Promise<string> {
  const at = terminal(true);
  at.stdin.end(typed);
  await confirm(question, false, at);
  return String(at.stderr.read());
}

test.each(['yes\n', ' Yes \n'])('%j confirms the question that was shown', async (typed) => {
  expect(await answering(typed)).toContain(question);
});

test.each(['no\n', 'y\n', '\n', ''])('%j does not confirm', async (typed) => {
  await expect(answering(typed)).rejects.toThrow(NotConfirmed);
});

test('--yes skips the question; without it and without a terminal, the command is rejected', async () => {
  const at = terminal(true);
  await confirm(question, true, at);
  expect(at.stderr.read()).toBeNull();
  await expect(confirm(question, false, terminal(false))).rejects.toThrow('Run the command with --yes');
});
