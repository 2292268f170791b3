import { useEffect, useState } from "react";
import type { ShownEntry } from "../../session/vault/view.ts";
import { CameraIcon, FileIcon, ImageIcon, SoundIcon } from "../parts/icons.tsx";
import styles from "./entry.module.css";

/** A picture of what is in the file where it has one, or of what kind it is. It says nothing that stands not beside it. */
export function Thumbnail({ entry: { id, kind, thumbnail } }: { entry: ShownEntry }) {
  const [url, setUrl] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that was read again has the same bytes in another array
  useEffect(() => {
    if (thumbnail.length === 0) return;
    const made = URL.createObjectURL(new Blob([new Uint8Array(thumbnail)], { type: "image/jpeg" }));
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [id, thumbnail.length]);
  return (
    <div className={styles.thumbnail}>
      {url === null ? <KindIcon kind={kind} /> : <img src={url} alt="" onError={() => setUrl(null)} />}
    </div>
  );
}

function KindIcon({ kind }: { kind: string }) {
  if (kind.startsWith("video/")) return <CameraIcon />;
  if (kind.startsWith("audio/")) return <SoundIcon />;
  return kind.startsWith("image/") ? <ImageIcon /> : <FileIcon />;
}
