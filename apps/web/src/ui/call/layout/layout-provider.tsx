import { type ReactNode, useState } from "react";
import { LayoutContext } from "./layout-context.ts";
import { openLayout } from "./layout-store.ts";
import { Sights } from "./sights.ts";

/** Around a call, for as long as it lasts. */
export function LayoutProvider({ children }: { children: ReactNode }) {
  const [layout] = useState(() => ({ ...openLayout(), sights: new Sights() }));
  return <LayoutContext value={layout}>{children}</LayoutContext>;
}
