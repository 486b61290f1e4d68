/**
 * (a') The same, on a server whose requests and responses have the prototypes of Express from the
 * start, so that setting them on every request changes nothing.
 */
import http from 'node:http';

import { expressMessages } from '../../src/internals/express-messages';
import { bareExpress } from './bare-express';
import { settings } from './settings';

const app = bareExpress();
http.createServer(expressMessages(app), app).listen(settings.port, '127.0.0.1');
