/** A fenced code block of a document, with the output that follows it. */
export interface Block {
  language: string;
  text: string;
  /** The JSON or text block that directly follows it. */
  expectedOutput: { language: string; text: string } | undefined;
}

/** The code blocks in these languages, in document order. */
export function blocksOf(markdown: string, languages: readonly string[]): Block[] {
  const fences = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(([, language = '', text = ''], index) => {
    if (!languages.includes(language)) return [];
    // The same sample in other languages may follow. All of them share the output.
    const others = ['js', 'sh', 'ts', 'py'].slice(['js', 'sh', 'ts', 'py'].indexOf(language) + 1);
    const next =
      language === 'sh'
        ? index + 1
        : fences.findIndex(([, other = ''], at) => at > index && !others.includes(other));
    const [, following = '', shown = ''] = fences[next] ?? [];
    const isOutput = following === 'json' || following === 'text';
    return [{ language, text, expectedOutput: isOutput ? { language: following, text: shown } : undefined }];
  });
}

/** JSON with placeholders for values that differ between runs: ids, times, cursors, addresses. */
export function withoutVariableParts(json: string): unknown {
  return JSON.parse(
    json
      .replace(/\b[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}\b/g, '(transaction_id)')
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '(uuid)')
      .replace(/"next_cursor": ?"[^"]{20,}"/g, '"next_cursor":"(cursor)"')
      .replace(/\bcpk_test_[0-9A-Za-z…]+/g, '(api_key)')
      .replace(/"transaction_id_prefix": ?"\w{4}"/g, '"transaction_id_prefix":"(prefix)"')
      .replace(/"duration_ms": ?[\d.]+/g, '"duration_ms":0')
      .replace(/http:\/\/localhost:\d+|https:\/\/api\.example\.org/g, '(base_url)'),
  );
}
