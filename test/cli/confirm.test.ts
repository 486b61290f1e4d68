import { PassThrough } from 'node:stream';

import { confirm, NotConfirmed } from '../../src/operator/cli/confirm';

const question = 'All of it will be gone.';
const terminal = (isTTY: boolean) => ({
  input: Object.assign(new PassThrough(), { isTTY }),
  output: Object.assign(new PassThrough(), { isTTY }),
});

/** Asks somebody who types this, and says what they were shown. */
async function answering(typed: string): Promise<string> {
  const at = terminal(true);
  at.input.end(typed);
  await confirm(question, false, at);
  return String(at.output.read());
}

test.each(['yes\n', ' Yes \n'])('%j is an agreement, to what was asked', async (typed) => {
  expect(await answering(typed)).toContain(question);
});

test.each(['no\n', 'y\n', '\n', ''])('%j is none, and nor is it when nobody answers', async (typed) => {
  await expect(answering(typed)).rejects.toThrow(NotConfirmed);
});

test('nobody is asked who has agreed before, and nobody can be where there is no terminal', async () => {
  const at = terminal(true);
  await confirm(question, true, at);
  expect(at.output.read()).toBeNull();
  await expect(confirm(question, false, terminal(false))).rejects.toThrow('Run the command with --yes');
});
