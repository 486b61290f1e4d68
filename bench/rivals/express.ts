/** (a) Bare Express, the way everybody starts it. */
import { bareExpress } from './bare-express';
import { settings } from './settings';

bareExpress().listen(settings.port, '127.0.0.1');
