/** Pages of `open` need no network. */
export type Network =
  | 'none'
  | 'any'
  | {
      readonly proxy: string;
      /** Whether loopback addresses go to the proxy too. Default false. */
      readonly loopback?: boolean;
    };

/** `stepped`: time stands still between calls. */
export type Clock = 'stepped' | 'free';

const drawingBy: Readonly<Record<Clock, readonly string[]>> = {
  stepped: [
    '--enable-begin-frame-control',
    '--run-all-compositor-stages-before-draw',
    '--disable-checker-imaging',
    '--disable-threaded-animation',
    '--disable-threaded-scrolling',
    '--disable-new-content-rendering-timeout',
  ],
  // Otherwise each screenshot waits for the next 1/60 s.
  free: ['--disable-frame-rate-limit', '--disable-gpu-vsync'],
};

const drawing = [
  // Equal pixels everywhere.
  '--hide-scrollbars',
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--lang=en-US',
  // A wheel turn takes effect in the next frame.
  '--disable-smooth-scrolling',
  // Fewer hops per frame, and fewer processes that can crash.
  '--disable-gpu',
  '--in-process-gpu',
  '--num-raster-threads=1',
  // Partial raster reuses tiles for 5 s: edge pixels would depend on how long the agent thought.
  '--disable-partial-raster',
  // Loads pages of `open` faster.
  '--enable-features=NetworkServiceInProcess2',
  // With sessions on all cores, helper threads only take CPU time.
  '--js-flags=--single-threaded',
];

const quiet = [
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-back-forward-cache',
  '--disable-hang-monitor',
  '--disable-site-isolation-trials',
  '--disable-features=BackForwardCache,RenderDocument,IsolateOrigins,site-per-process,PaintHolding,Translate,MediaRouter',
  '--mute-audio',
  '--no-first-run',
  '--no-default-browser-check',
];

const loopbackToProxy = '--proxy-bypass-list=<-loopback>';

const offline = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // A dead proxy, also for addresses that need no resolver.
  '--proxy-server=http://127.0.0.1:9',
  loopbackToProxy,
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

const proxied = ({ proxy, loopback = false }: Exclude<Network, string>) => [
  `--proxy-server=${proxy}`,
  ...(loopback ? [loopbackToProxy] : []),
];

/** Returns Chromium's arguments. Its own sandbox fails as root and without user namespaces. */
export function browserFlags(options: { profile: string; network: Network; clock: Clock; sandbox: boolean }): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profile}`,
    ...drawingBy[options.clock],
    ...drawing,
    ...quiet,
    ...(options.network === 'none' ? offline : []),
    ...(typeof options.network === 'object' ? proxied(options.network) : []),
    ...(options.sandbox ? [] : ['--no-sandbox']),
  ];
}
