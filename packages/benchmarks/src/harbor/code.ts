import { OfficialCode } from '../bridge/officialCode.js';

/** Harbor with gyre's package for it. */
export const harborCode = (): OfficialCode =>
  new OfficialCode({
    name: 'harbor',
    requirements: new URL('requirements.txt', import.meta.url),
    program: new URL('../../harbor/gyre_harbor/agent.py', import.meta.url),
    local: new URL('../../harbor', import.meta.url),
    versions: '>=3.12',
  });
