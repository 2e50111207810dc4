import type { Article, Block, Inline } from './article.js';

export function markdownOf(article: Article, addressOf: (page: number) => string): string {
  const inline = (part: Inline): string =>
    typeof part === 'string' ? part : part.to === undefined ? part.text : `[${part.text}](${addressOf(part.to)})`;
  const inlines = (parts: readonly Inline[]) => parts.map(inline).join('');
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const block = (content: Block): string => {
    switch (content.type) {
      case 'paragraph':
        return inlines(content.text);
      case 'heading':
        return `## ${content.text}`;
      case 'bullets':
        return content.items.map((item) => `- ${inlines(item)}`).join('\n');
      case 'table':
        return [
          row(content.head),
          row(content.head.map(() => '---')),
          ...content.rows.map((cells) => row(cells.map(inlines))),
        ].join('\n');
    }
  };
  const box = article.box.map(({ label, value }) => `- ${label}: ${inline(value)}`).join('\n');
  const lists = article.categories.map(inline).join(', ');
  const parts = [`# ${article.title}`, box, ...article.blocks.map(block), lists && `See also: ${lists}`];
  return parts.filter((part) => part !== '').join('\n\n');
}
