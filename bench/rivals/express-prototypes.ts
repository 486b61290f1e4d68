/**
 * (a') Bare Express, with requests and responses that have Express's prototypes from creation.
 * Express's own assignment of the prototype then changes nothing.
 */
import http from 'node:http';

import { expressMessages } from '../../src/internals/express-messages';
import { bareExpress } from './bare-express';
import { settings } from './settings';

const app = bareExpress();
http.createServer(expressMessages(app), app).listen(settings.port, '127.0.0.1');
