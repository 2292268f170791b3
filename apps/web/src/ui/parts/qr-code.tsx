import { useEffect, useState } from "react";
import styles from "./qr-code.module.css";

/** The encoder is loaded with the first code. Where that fails there is none: whatever it says stands beside it too. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [svg, setSvg] = useState("");
  useEffect(() => {
    let over = false;
    const draw = ({ encodeQR }: typeof import("qr")) => {
      if (!over) setSvg(encodeQR(text, "svg", { ecc: "quartile", border: 4 }));
    };
    import("qr").then(draw, () => undefined);
    return () => {
      over = true;
    };
  }, [text]);
  return svg && <img className={styles.qr} src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} />;
}
