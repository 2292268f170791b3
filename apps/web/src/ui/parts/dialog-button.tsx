import { type ReactNode, useState } from "react";
import button from "../button.module.css";
import { Dialog } from "./dialog.tsx";
import toggle from "./toggle.module.css";

interface DialogButtonProps {
  /** `toggle`: as one of a control bar. */
  look?: "quiet" | "toggle";
  icon?: ReactNode;
  /** On the button. */
  label: string;
  /** Above what it opens: the label, where it is not given. */
  title?: string;
  children: ReactNode;
}

/** A button and the dialog that it opens, whose contents are mounted while it is open. */
export function DialogButton({ look = "quiet", icon, label, title = label, children }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={look === "quiet" ? button.quiet : toggle.toggle} onClick={() => setOpen(true)}>
        {icon}
        <span>{label}</span>
      </button>
      {open && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          {children}
        </Dialog>
      )}
    </>
  );
}
