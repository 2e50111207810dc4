/* Serves a folder of runs until it is killed, and tells its link. */
import { policiesOf } from './studio.test.fixture.js';
import { serveStudio } from './server.js';

const [root = ''] = process.argv.slice(2);
const { link, url } = await serveStudio({ runs: [root], policies: policiesOf() });
process.send?.({ url, token: new URLSearchParams(new URL(link).hash.slice(1)).get('token') });
