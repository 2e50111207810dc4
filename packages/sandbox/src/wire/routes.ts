import { browser } from './browser.js';
import { checkpoints } from './checkpoint.js';
import { desktop } from './desktop.js';
import { phone, remote } from './device.js';
import { events } from './events.js';
import { files } from './files.js';
import { frames } from './frames.js';
import { ports } from './ports.js';
import { recordings } from './recordings.js';
import { service } from './service.js';
import { sessions } from './session.js';
import { shell } from './shell.js';
import { tools } from './tools.js';

export const routes = {
  service,
  sessions,
  browser,
  desktop,
  phone,
  remote,
  shell,
  files,
  tools,
  checkpoints,
  events,
  frames,
  recordings,
  ports,
} as const;
