import { homeOf, runtimeFolder, system } from './view.js';

/** Where the session finds the way out, on its own loopback. */
export const proxyPort = 3128;

/** What every program of a session has in its environment. */
export const baseEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  XDG_RUNTIME_DIR: runtimeFolder,
};

/** Returns what programs of the session's user have in addition. */
export const userEnv = (user: string) => ({ HOME: homeOf(user), USER: user, LOGNAME: user });

/** What programs of the system have instead: nothing that they read or write by default is the agent's. */
export const systemEnv = {
  HOME: system.home,
  USER: system.name,
  LOGNAME: system.name,
  TMPDIR: system.home,
  XDG_RUNTIME_DIR: system.home,
};

export const proxyUrl = `http://127.0.0.1:${proxyPort}`;
/** What is added where there is a way out. */
export const proxyEnv = {
  http_proxy: proxyUrl,
  https_proxy: proxyUrl,
  HTTPS_PROXY: proxyUrl,
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
};
