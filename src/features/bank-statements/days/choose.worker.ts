import { parentPort, workerData } from 'node:worker_threads';

import type { DayToChoose } from './choose-day';
import { compareDay } from './choose-in-thread';

parentPort?.postMessage(compareDay(workerData as DayToChoose));
