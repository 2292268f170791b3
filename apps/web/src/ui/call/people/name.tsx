import type { Person } from "../../../session/call/person.ts";
import styles from "./name.module.css";

/** What a person is called, where there is little room: a long name is cut, the number that tells two of one name apart is not. */
export function Name({ label: { name, mark } }: Pick<Person, "label">) {
  return (
    <>
      <bdi className={styles.name}>{name}</bdi>
      {mark !== null && <span>({mark})</span>}
    </>
  );
}
