import { type ComponentType, createElement, lazy, useState } from "react";

/** What is loaded before it is shown, by `load`; at the latest when it is shown. */
export class Preloadable<P extends object> {
  readonly #load: () => Promise<{ default: ComponentType<P> }>;
  readonly #late = lazy(() => this.load());
  #come: ComponentType<P> | null = null;

  constructor(load: () => Promise<{ default: ComponentType<P> }>) {
    this.#load = load;
  }

  /** Rejects where it does not come; then it is loaded again when it is shown. */
  async load(): Promise<{ default: ComponentType<P> }> {
    const come = await this.#load();
    this.#come = come.default;
    return come;
  }

  get component(): ComponentType<P> {
    return this.#come ?? this.#late;
  }
}

/** Is drawn at once where it has come: what React has waited for, it draws no sooner than 300 ms after it began to wait. */
export function Preloaded<P extends object>({ page, props }: { page: Preloadable<P>; props: P }) {
  const [component] = useState(() => page.component);
  return createElement<P>(component, props);
}
