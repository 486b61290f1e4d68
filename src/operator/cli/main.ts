#!/usr/bin/env node
import '../../startup/load-environment';

import { CommanderError } from 'commander';

import { endQuietlyWithReader } from './end-quietly';
import { exitCodes } from './exit-codes';
import { createProgram } from './program';

endQuietlyWithReader();
createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.notConfigured;
  });
