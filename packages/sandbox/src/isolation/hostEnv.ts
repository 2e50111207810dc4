/** What programs of the host get to see of this process's environment: nothing that a session may set. */
export const hostEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' } as const;
