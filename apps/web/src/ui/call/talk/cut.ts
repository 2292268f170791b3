/** The beginning of a text, in one line, where there is little room. */
export function cut(text: string, most = 140): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line;
}
