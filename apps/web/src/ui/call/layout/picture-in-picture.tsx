import { Trans } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { PictureInPictureIcon } from "../../parts/icons.tsx";
import toggle from "../../parts/toggle.module.css";
import { usePresent } from "./layout-context.ts";

/** Document Picture-in-Picture (WICG), which the types of the platform do not know. */
interface WindowOpener {
  requestWindow(size: { width: number; height: number }): Promise<Window & typeof globalThis>;
}

const SIZE = { width: 320, height: 260 };

/** Keeps who speaks, or the shared screen, in sight while the person works in another window. Nothing where no browser can. */
export function PictureInPicture() {
  const opener = (globalThis as { documentPictureInPicture?: WindowOpener }).documentPictureInPicture;
  if (opener !== undefined) return <InWindow opener={opener} />;
  return document.pictureInPictureEnabled ? <InElement /> : null;
}

function InWindow({ opener }: { opener: WindowOpener }) {
  const [view, setView] = useState<Window | null>(null);
  const [content, setContent] = useState<ReactNode>(null);
  useEffect(() => () => view?.close(), [view]);
  const open = async () => {
    // Rejects where the browser does not want to, which says so itself.
    const opened = await opener.requestWindow(SIZE).catch(() => null);
    if (opened === null) return;
    opened.addEventListener("pagehide", () => setView(null), { once: true });
    setView(opened);
    // Only now, since a window opens in the task of a click; its styles are part of the page's from then on.
    const { CallWindow } = await import("./call-window.tsx");
    dress(opened);
    setContent(<CallWindow />);
  };
  return (
    <>
      <Item onClick={() => (view === null ? void open() : view.close())} isOn={view !== null} />
      {view !== null && createPortal(content, view.document.body)}
    </>
  );
}

/** The page's own styles, language and direction. Styles are copied: Chromium 156 did not load sheets that such a window links to. */
function dress({ document: its, CSSStyleSheet: Sheet }: Window & typeof globalThis): void {
  const { lang, dir } = document.documentElement;
  Object.assign(its.documentElement, { lang, dir });
  its.title = "Sealcast";
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText));
  const sheet = new Sheet();
  sheet.replaceSync(rules.join("\n"));
  its.adoptedStyleSheets = [sheet];
}

/** Where only a video itself can be taken out of the page: without buttons, and with the person that it shows now. */
function InElement() {
  const { people, speaker } = usePresent();
  const who = speaker ?? people[0];
  if (who === undefined) return null;
  const open = () => {
    const video = document.querySelector<HTMLVideoElement>(`[data-tile="${who}"] video`);
    if (video === null) return;
    video.disablePictureInPicture = false;
    // Rejects where there is no picture.
    void video.requestPictureInPicture().catch(() => undefined);
  };
  return <Item onClick={open} isOn={false} />;
}

function Item({ onClick, isOn }: { onClick: () => void; isOn: boolean }) {
  return (
    <button type="button" className={toggle.toggle} aria-pressed={isOn} onClick={onClick}>
      <PictureInPictureIcon />
      <span>
        <Trans>Picture-in-picture</Trans>
      </span>
    </button>
  );
}
