/** A link with another letter in the place of its secret's last whole one. */
export function damaged(link: string): string {
  return `${link.slice(0, -2)}${link.at(-2) === "A" ? "B" : "A"}${link.slice(-1)}`;
}
