export async function markdownOf(html: string): Promise<string> {
  const { default: TurndownService } = await import('turndown');
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  service.remove(['script', 'style', 'noscript', 'head', 'title', 'button', 'select', 'input']);
  return service.turndown(html).trim();
}
