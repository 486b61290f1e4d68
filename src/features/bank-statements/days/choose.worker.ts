import { parentPort, workerData } from 'node:worker_threads';

import type { DayToChoose } from './choose-day';
import { compareVersions } from './choose-in-thread';

parentPort?.postMessage(compareVersions(workerData as DayToChoose));
