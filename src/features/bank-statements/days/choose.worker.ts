import { parentPort, workerData } from 'node:worker_threads';

import { compareVersions, type DayToChoose } from './choose-in-thread';

parentPort?.postMessage(compareVersions(workerData as DayToChoose));
