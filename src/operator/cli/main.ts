#!/usr/bin/env node
import '../../startup/load-environment';

import { listSettings } from '../../contracts';
import { runAsProcess } from './process-io';
import { operatorProgram } from './program';

void runAsProcess(operatorProgram, listSettings());
