import { homeOf, runtimeFolder, system } from './view.js';

export const proxyPort = 3128;

export const baseEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  XDG_RUNTIME_DIR: runtimeFolder,
};

/** For a session with a root of its own. */
export const rootEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  USER: 'root',
  LOGNAME: 'root',
};

export const userEnv = (user: string) => ({ HOME: homeOf(user), USER: user, LOGNAME: user });

/** No default path is the agent's. */
export const systemEnv = {
  HOME: system.home,
  USER: system.name,
  LOGNAME: system.name,
  TMPDIR: system.home,
  XDG_RUNTIME_DIR: system.home,
};

export const proxyUrl = `http://127.0.0.1:${proxyPort}`;
export const proxyEnv = {
  http_proxy: proxyUrl,
  https_proxy: proxyUrl,
  HTTPS_PROXY: proxyUrl,
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
};
