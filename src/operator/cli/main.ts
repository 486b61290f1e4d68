#!/usr/bin/env node
import '../../startup/load-environment';

import { runAsProcess } from './process-io';
import { operatorProgram } from './program';

void runAsProcess(operatorProgram);
