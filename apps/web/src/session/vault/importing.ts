/** A file to be imported, with its signature where it was exported from a vault. */
export interface Importable {
  readonly file: File;
  readonly sidecar: File | null;
}

const SIGNATURE = ".sig";

/** Puts files and the signatures that were chosen beside them together, by their names. `lone`: signatures without a file. */
export function paired(files: readonly File[]): { importable: Importable[]; lone: File[] } {
  const isSignature = ({ name }: File) => name.toLowerCase().endsWith(SIGNATURE);
  const named = (name: string) => files.find((file) => file.name.toLowerCase() === name.toLowerCase()) ?? null;
  const importable = files
    .filter((file) => !isSignature(file))
    .map((file) => ({ file, sidecar: named(file.name + SIGNATURE) }));
  const lone = files.filter((file) => isSignature(file) && named(file.name.slice(0, -SIGNATURE.length)) === null);
  return { importable, lone };
}
