import { useEffect, useState } from "react";

/** Long enough to read two sentences twice. */
const shownMs = 12_000;

/** Copies a link, and knows for a while how that went, so that it can be said. */
export function useCopying(link: () => string) {
  const [copied, setCopied] = useState<"yes" | "refused" | null>(null);

  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = () => {
    setCopied(null);
    navigator.clipboard.writeText(link()).then(
      () => setCopied("yes"),
      () => setCopied("refused"),
    );
  };
  return { copied, copy };
}
