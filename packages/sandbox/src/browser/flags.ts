/** May pages reach the network? `none` lets nothing out, a proxy what it lets out; pages of `open` need nothing. */
export type Network = 'none' | 'any' | { readonly proxy: string };

/** Whether time stands still between calls and frames are drawn on demand, or both go on by themselves. */
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
  // As fast as it can: with the limit every picture waits for the next sixtieth of a second.
  free: ['--disable-frame-rate-limit', '--disable-gpu-vsync'],
};

const drawing = [
  // The same pixels everywhere.
  '--hide-scrollbars',
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--lang=en-US',
  // A wheel has scrolled with the frame after it.
  '--disable-smooth-scrolling',
  // Software drawing in the browser's own process: the least hops per frame, and one process that can die.
  '--disable-gpu',
  '--in-process-gpu',
  '--num-raster-threads=1',
  // What changes in a part of a tile would be drawn into the tile before, or, once that was given up after 5 s, into a new one: with other
  // pixels at the edges of shapes, by how long the agent thought.
  '--disable-partial-raster',
  // So is the network, which is not even asked for the pages of `open`: they are there in six sevenths of the time.
  '--enable-features=NetworkServiceInProcess2',
  // Scripts are compiled and their garbage is collected by the thread that runs them: where sessions fill all cores, helpers only take
  // from them, a tenth of the work of an app's episode.
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

const offline = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // A proxy that no one listens on, also for addresses that need no resolver.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** Arguments of chromium-headless-shell. It does not start with its own sandbox as root, nor where there are no user namespaces. */
export function browserFlags(options: { profile: string; network: Network; clock: Clock; sandbox: boolean }): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profile}`,
    ...drawingBy[options.clock],
    ...drawing,
    ...quiet,
    ...(options.network === 'none' ? offline : []),
    ...(typeof options.network === 'object' ? [`--proxy-server=${options.network.proxy}`] : []),
    ...(options.sandbox ? [] : ['--no-sandbox']),
  ];
}
