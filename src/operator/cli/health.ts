#!/usr/bin/env node
import '../../startup/load-environment';

import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

import { Argument, Command, InvalidArgumentError } from 'commander';

import { type Config, readSettings } from '../../read-settings';

// The health check of the image, which has no curl. It can also wait for an instance to start.
const responseTimeoutMs = 4_000;
const pauseMs = 250;

/** Replaces a wildcard address, which accepts no connections, with the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** @throws when no response arrives */
function statusOf({ HOST, PORT, TLS_CERTIFICATE_FILE }: Config, what: string): Promise<number | undefined> {
  const isTls = TLS_CERTIFICATE_FILE !== undefined;
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).get({
      host: reachable(HOST),
      port: PORT,
      path: `/health/${what}`,
      timeout: responseTimeoutMs,
      // The certificate names the public host, not this address. The request contains no secret.
      ...(isTls && { rejectUnauthorized: false }),
    });
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => {
      request.destroy(new Error(`no response within ${responseTimeoutMs} ms`));
    });
    request.once('error', reject);
  });
}

/** @returns undefined when healthy */
async function problemOf(config: Config, what: string): Promise<string | undefined> {
  try {
    const status = await statusOf(config, what);
    return status === 200 ? undefined : `/health/${what} responds with ${status ?? 'no status'}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'no reason given';
  }
}

async function ask(what: string, { wait: waitSeconds }: { wait: number }): Promise<void> {
  try {
    const config = readSettings(process.env);
    const giveUpAt = Date.now() + waitSeconds * 1_000;
    let problem = await problemOf(config, what);
    while (problem !== undefined && Date.now() < giveUpAt) {
      await delay(pauseMs);
      problem = await problemOf(config, what);
    }
    if (problem === undefined) return;
    console.error(problem);
  } catch (error) {
    console.error(error instanceof Error ? error.message : 'no reason given');
  }
  process.exitCode = 1;
}

const seconds = (text: string): number => {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Enter a whole number of seconds.');
};

void new Command('health')
  .description(
    'Checks the service that runs on this machine with the same settings. Exit code 0: healthy, 1: not healthy.',
  )
  .addArgument(
    new Argument('<what>', 'live: the process responds; ready: it can serve requests').choices([
      'live',
      'ready',
    ]),
  )
  .option('--wait <seconds>', 'keep retrying for this long', seconds, 0)
  .action(ask)
  .parseAsync();
