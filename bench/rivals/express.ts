/** (a) Bare Express with its default settings. */
import { bareExpress } from './bare-express';
import { settings } from './settings';

bareExpress().listen(settings.port, '127.0.0.1');
