import type { ChromiumPerson } from "./person.ts";
import type { Stage } from "./test.ts";

/** This many people, "Viewer 1" and on, who opened a stream's link. */
export async function watch(person: Stage["person"], link: string, count: number): Promise<ChromiumPerson[]> {
  const viewers: ChromiumPerson[] = [];
  for (let at = 0; at < count; at++) {
    const viewer = await person(`Viewer ${at + 1}`);
    await viewer.page.goto(link);
    viewers.push(viewer);
  }
  return viewers;
}
