/** Serializes as Python's `json.dumps(value, ensure_ascii=False)`, except that closing tags in texts are escaped. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${pythonJson(member)}`);
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value).replace(/<(?=\/?tool_call>)/g, '\\u003c');
}
