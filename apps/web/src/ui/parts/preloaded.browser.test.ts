import { createElement, Suspense } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { Preloadable, Preloaded } from "./preloaded.tsx";

const Page = ({ name }: { name: string }) => `This is ${name}.`;

/** What stands there at once. */
function drawn(page: Preloadable<{ name: string }>): HTMLElement {
  const place = document.createElement("div");
  const shown = createElement(Preloaded<{ name: string }>, { page, props: { name: "it" } });
  flushSync(() => createRoot(place).render(createElement(Suspense, { fallback: "Wait." }, shown)));
  return place;
}

test("what was loaded before is drawn at once, and what was not once it is there", async () => {
  const loaded = new Preloadable(async () => ({ default: Page }));
  await loaded.load();
  expect(drawn(loaded).textContent).toBe("This is it.");
  const late = drawn(new Preloadable(async () => ({ default: Page })));
  expect(late.textContent).toBe("Wait.");
  await vi.waitFor(() => expect(late.textContent).toBe("This is it."));
});
