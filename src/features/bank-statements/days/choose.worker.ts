import { parentPort, workerData } from 'node:worker_threads';

import { threadFolder } from '../reading/thread-cpu';
import { compareVersions, type DayToChoose } from './choose-in-thread';

parentPort?.postMessage({ folder: threadFolder() });
parentPort?.postMessage(compareVersions(workerData as DayToChoose));
