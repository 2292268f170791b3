import { useEffect, useState } from "react";

/** Long enough to read two sentences twice. */
const shownMs = 12_000;

/** Copies a text, and knows for a while how that went, so that it can be said. */
export function useCopying(text: () => string) {
  const [copied, setCopied] = useState<"yes" | "refused" | null>(null);

  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = () => {
    setCopied(null);
    navigator.clipboard.writeText(text()).then(
      () => setCopied("yes"),
      () => setCopied("refused"),
    );
  };
  return { copied, copy };
}
