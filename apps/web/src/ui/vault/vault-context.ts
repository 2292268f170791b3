import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { OpenVault } from "../../session/vault/vault.ts";
import type { VaultActions, VaultView } from "../../session/vault/view.ts";

export interface VaultPageContext extends OpenVault {
  /** Forgets the keys, and everything that was opened. */
  lock(): void;
}

export const VaultContext = createContext<VaultPageContext | null>(null);

function useOpened(): VaultPageContext {
  const vault = useContext(VaultContext);
  if (vault === null) throw new Error("Used outside the vault's page");
  return vault;
}

export const useVaultActions = (): VaultActions => useOpened().actions;
export const useLock = (): (() => void) => useOpened().lock;

/** The part of the view that `select` picks; it must return the same value for the same view. */
export const useVault = <T>(select: (view: VaultView) => T): T => useStore(useOpened().store, select);
