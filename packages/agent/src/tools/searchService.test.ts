import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SearxngDouble, searxngDouble } from './double/searxngDouble.test.fixture.js';
import { executeSearch, type SearchService } from './searchService.js';
import { searxng } from './searxng.js';

const corpus: SearchService = {
  search: () => ({ total: 70, results: [{ title: 'A', url: 'http://x/A', snippet: 'a' }] }),
  read: (url) => `page ${url}`,
};

describe('a corpus', () => {
  it('is searched and read', async () => {
    expect(await executeSearch({ type: 'search', query: 'a' }, corpus)).toBe(
      '1. A\n   http://x/A\n   a\n(1 of 70 results)',
    );
    expect(await executeSearch({ type: 'link_reader', url: 'http://x/A' }, corpus)).toBe('page http://x/A');
  });
});

describe('a SearXNG', () => {
  let double: SearxngDouble;
  beforeAll(async () => {
    double = await searxngDouble();
  });
  afterAll(() => double.close());
  const service = () => searxng({ url: double.url, reader: double.reader });

  it('is asked for JSON', async () => {
    expect(await executeSearch({ type: 'search', query: 'a & b' }, service())).toBe(
      '1. About a & b\n   http://pages.test/1\n   What it is.\n2. Bare\n   http://pages.test/2\n(2 of 2 results)',
    );
    expect(double.urls.at(-1)).toBe('/find/search?q=a+%26+b&format=json');
    expect(await executeSearch({ type: 'search', query: 'nothing' }, service())).toBe('(0 of 0 results)');
  });

  it('has its pages read by a reader, the middle left out', async () => {
    const text = await executeSearch({ type: 'link_reader', url: 'http://pages.test/1', description: 'x' }, service());
    expect(text).toMatch(/^# The page\n\ntext .*left out.*text end$/s);
    expect(text.length).toBeLessThan(17_000);
    expect(double.urls.at(-1)).toBe('/reader/http://pages.test/1');
  });

  it.each([
    ...['http://127.0.0.1/', 'http://localhost:8080/', 'http://[::1]/', 'http://[::ffff:10.0.0.1]/', 'http://0x7f.1/'],
    ...[
      'http://169.254.169.254/latest/meta-data',
      'http://[fd00:ec2::254]/',
      'http://10.0.0.1/',
      'http://0/',
      'http://2130706433/',
    ],
  ])('has no page of the inside read for an agent: %s', async (url) => {
    const countBefore = double.urls.length;
    await expect(service().read(url)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'url' } });
    expect(double.urls).toHaveLength(countBefore);
  });

  it('does not let an address climb over the path of the reader', async () => {
    await service().read('http://pages.test/../../find/search?q=a');
    expect(double.urls.at(-1)).toBe('/reader/http://pages.test/find/search?q=a');
  });

  it.each(['file:///etc/passwd', 'pages.test', '', '../find'])('is not read at %j', async (url) => {
    await expect(service().read(url)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'url' } });
  });

  it('says that a page cannot be read, or that none can', async () => {
    const refused = { code: 'bad_input', detail: { field: 'url' } };
    await expect(service().read('http://pages.test/missing')).rejects.toMatchObject(refused);
    await expect(searxng({ url: double.url }).read('http://pages.test/1')).rejects.toMatchObject(refused);
  });

  it('is to blame where it does not answer, or not in JSON', async () => {
    const infra = { code: 'infra', detail: { field: '--search' } };
    await expect(service().search('broken')).rejects.toMatchObject(infra);
    const late = { ...infra, message: expect.stringMatching(/does not answer within 50 ms$/) as string };
    await expect(searxng({ url: double.url, timeoutMs: 50 }).search('slow')).rejects.toMatchObject(late);
    const gone = { ...infra, message: 'http://127.0.0.1:1 does not answer' };
    await expect(searxng({ url: 'http://127.0.0.1:1' }).search('a')).rejects.toMatchObject(gone);
  });

  it.each(['localhost:8888', 'ftp://x'])('is not at %j', (url) => {
    expect(() => searxng({ url })).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: { field: '--search', fix: expect.any(String) as string } }),
    );
  });
});
