import type { Article, Block, Inline } from './article.js';

export function markdownOf(article: Article, addressOf: (page: number) => string): string {
  const inline = (part: Inline): string =>
    typeof part === 'string' ? part : part.to === undefined ? part.text : `[${part.text}](${addressOf(part.to)})`;
  const inlines = (parts: readonly Inline[]) => parts.map(inline).join('');
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const block = (of: Block): string => {
    switch (of.type) {
      case 'paragraph':
        return inlines(of.text);
      case 'heading':
        return `## ${of.text}`;
      case 'bullets':
        return of.items.map((item) => `- ${inlines(item)}`).join('\n');
      case 'table':
        return [row(of.head), row(of.head.map(() => '---')), ...of.rows.map((cells) => row(cells.map(inlines)))].join(
          '\n',
        );
    }
  };
  const box = article.box.map(({ label, value }) => `- ${label}: ${inline(value)}`).join('\n');
  const lists = article.categories.map(inline).join(', ');
  const parts = [`# ${article.title}`, box, ...article.blocks.map(block), lists && `See also: ${lists}`];
  return parts.filter((part) => part !== '').join('\n\n');
}
