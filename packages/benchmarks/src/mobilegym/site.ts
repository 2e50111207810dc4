import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, resolve, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css;charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html;charset=utf-8',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript;charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript;charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain;charset=utf-8',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** A secure context, as MobileGym's own server is. */
const host = 'localhost';

/**
 * Serves a folder as the whole web: a proxy at which one host has the folder's files, and no other exists. Pages thus
 * reach nothing outside. Knows whether requests are under way, which a stepped clock does not wait for.
 */
export class Site {
  readonly #server: Server;
  readonly #root: string;
  readonly #folders: Readonly<Record<string, string>>;
  #count = 0;
  #open = 0;

  private constructor(root: string, folders: Readonly<Record<string, string>>) {
    this.#root = resolve(root);
    this.#folders = folders;
    this.#server = createServer((request, response) => this.#answer(request, response));
    // HTTPS and web sockets go by CONNECT, which has no listener: the connection ends.
  }

  /**
   * Serves `root`, whose `index.html` is also every page that it lacks.
   *
   * @param folders other folders by the path at which they are: `/cdn/`
   */
  static async open(root: string, folders: Readonly<Record<string, string>> = {}): Promise<Site> {
    const site = new Site(root, folders);
    await new Promise<void>((done) => site.#server.listen(0, '127.0.0.1', done));
    site.#server.unref();
    return site;
  }

  readonly url = `http://${host}/`;

  get proxy(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests so far. */
  get requests(): number {
    return this.#count;
  }

  get isBusy(): boolean {
    return this.#open > 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#count++;
    this.#open++;
    response.once('close', () => this.#open--);
    const address = URL.canParse(request.url ?? '') ? new URL(request.url!) : undefined;
    if (address?.host !== host) return void response.writeHead(502).end('this host cannot be reached');
    const file = this.#file(address.pathname);
    if (file === undefined) return void response.writeHead(404).end('not found');
    const type = types[extname(file.path).toLowerCase()] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': file.size, 'Cache-Control': 'max-age=3600' });
    if (request.method === 'HEAD') return void response.end();
    createReadStream(file.path)
      .once('error', () => response.destroy())
      .pipe(response);
  }

  #file(pathname: string): { path: string; size: number } | undefined {
    let name: string;
    try {
      name = decodeURIComponent(pathname);
    } catch {
      return undefined;
    }
    const prefix = Object.keys(this.#folders).find((path) => name.startsWith(path));
    const root = prefix === undefined ? this.#root : resolve(this.#folders[prefix]!);
    const path = resolve(root, `./${name.slice(prefix?.length ?? 1)}`);
    const isInside = !relative(root, path).split(sep).includes('..') && !name.includes('\0');
    const stats = isInside ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (stats?.isFile()) return { path, size: stats.size };
    // A route of the app; files that it lacks are not found.
    if (extname(name) !== '') return undefined;
    const page = join(this.#root, 'index.html');
    return { path: page, size: statSync(page).size };
  }
}
