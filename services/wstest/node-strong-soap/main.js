// Serves WSTest by the package strong-soap.

import { run } from '../../common/node/workers.js';
import { serve } from './library.js';

await run((given) => serve({ ...given, path: '/wstest/WSTest', counter: '/wstest/count' }));
