import type { SiteLabels } from '../questions/question.js';

/** The site's own texts by language; its articles are in English. */
export const siteLabels: Readonly<Record<'en' | 'zh', SiteLabels>> = {
  en: {
    search: 'Search',
    find: 'Search the wiki',
    results: '{n} results for {q}',
    nothing: 'Nothing was found.',
    missing: 'There is no page at this address',
    next: 'next results',
    previous: 'previous results',
    seeAlso: 'See also',
  },
  zh: {
    search: '搜索',
    find: '搜索百科',
    results: '“{q}”的搜索结果：{n} 条',
    nothing: '没有找到任何内容。',
    missing: '此地址没有页面',
    next: '下一页',
    previous: '上一页',
    seeAlso: '参见',
  },
};
