#!/usr/bin/env node
import '../../startup/load-environment';

import { endQuietlyWithReader } from './end-quietly';
import { createMigrateProgram } from './migrate.command';

endQuietlyWithReader();
void createMigrateProgram().parseAsync();
