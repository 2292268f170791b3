import { type ReactNode, useState } from "react";
import { Dialog } from "./dialog.tsx";
import toggle from "./toggle.module.css";

interface ToggleDialogProps {
  icon: ReactNode;
  /** On the button, and above what it opens. */
  title: string;
  children: ReactNode;
}

/** A button of the control bar and the dialog that it opens, whose contents are mounted while it is open. */
export function ToggleDialog({ icon, title, children }: ToggleDialogProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={toggle.toggle} onClick={() => setOpen(true)}>
        {icon}
        <span>{title}</span>
      </button>
      {open && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          {children}
        </Dialog>
      )}
    </>
  );
}
