import { useState } from "react";
import { failureOf } from "../../session/vault/failure.ts";
import type { Failure } from "../../session/vault/view.ts";

/** Something that the vault is asked to do, and why it did not do it the last time. */
export function useAttempt() {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);

  /** False where it failed, or another attempt is under way. */
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setFailure(null);
    try {
      await work();
      return true;
    } catch (error) {
      setFailure(failureOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { failure, isBusy, attempt };
}
