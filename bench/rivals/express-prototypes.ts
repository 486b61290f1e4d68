/**
 * (a') Bare Express. Node creates its requests and responses with Express's prototypes, so Express
 * does not change their prototypes later.
 */
import http from 'node:http';

import { expressMessages } from '../../src/internals/express-messages';
import { bareExpress } from './bare-express';
import { settings } from './settings';

const app = bareExpress();
http.createServer(expressMessages(app), app).listen(settings.port, '127.0.0.1');
