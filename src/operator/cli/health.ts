#!/usr/bin/env node
import '../../startup/load-environment';

import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

import { Argument, Command, InvalidArgumentError } from 'commander';

import { type Config, loadConfig } from '../../config';

/*
 * Asks the service that runs here with the same settings for its health: exit code 0 when it says
 * yes, otherwise 1. The health check of the image, where there is no curl, and a way to wait for an
 * instance that was started.
 */
const responseTimeoutMs = 4_000;
const pauseMs = 250;

/**
 * Where this machine reaches what listens on an address: one that stands for all of them is no
 * address to call.
 */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** @throws whatever kept the answer from coming */
function statusOf({ HOST, PORT, TLS_CERTIFICATE_FILE }: Config, what: string): Promise<number | undefined> {
  const isTls = TLS_CERTIFICATE_FILE !== undefined;
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).get({
      host: reachable(HOST),
      port: PORT,
      path: `/health/${what}`,
      timeout: responseTimeoutMs,
      // The certificate is for the name that partners use. Nothing secret is sent here.
      ...(isTls && { rejectUnauthorized: false }),
    });
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => {
      request.destroy(new Error(`no answer within ${responseTimeoutMs} ms`));
    });
    request.once('error', reject);
  });
}

/** @returns what is wrong; undefined when the answer is yes */
async function problemOf(config: Config, what: string): Promise<string | undefined> {
  try {
    const status = await statusOf(config, what);
    return status === 200 ? undefined : `/health/${what} answers ${status ?? 'nothing'}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'no reason given';
  }
}

async function ask(what: string, { wait: waitSeconds }: { wait: number }): Promise<void> {
  try {
    const config = loadConfig(process.env);
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
  .description('Checks the local service with the same settings. Exit code 0: healthy; 1: not.')
  .addArgument(
    new Argument('<what>', 'live: the process responds; ready: it can serve requests').choices([
      'live',
      'ready',
    ]),
  )
  .option('--wait <seconds>', 'retry for this long', seconds, 0)
  .action(ask)
  .parseAsync();
