// Which texts are for opcat.

const beginning = 64 * 1024;

export function namesCatalog(path: string, text: string): boolean {
  if (path.endsWith('/.opcat.yaml') || path.endsWith('\\.opcat.yaml')) return true;
  return /["']?schema["']?\s*:\s*["']?olm\./.test(text.slice(0, beginning));
}
