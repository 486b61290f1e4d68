#!/usr/bin/env node
import '../../startup/load-environment';

import { migrateProgram } from './migrate.command';
import { runAsProcess } from './process-io';

void runAsProcess(migrateProgram);
