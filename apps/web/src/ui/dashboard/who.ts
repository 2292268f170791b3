import { useLingui } from "@lingui/react/macro";
import { RELAYS } from "@sealcast/metrics";
import { isolated } from "../isolated.ts";
import { useShown } from "./figures-context.ts";
import type { DashboardTrack } from "./subject.ts";
import { sources } from "./words.ts";

/** What someone is called who has a number here. Files have no names. */
export function useWho(): (person: number) => string {
  const { t } = useLingui();
  const { live, other } = useShown();
  const nameless = (person: number) => (person === RELAYS ? t`relays` : t`Person ${person}`);
  return (person) => isolated(other ?? (live?.names.get(person) || nameless(person)));
}

export function useTrackName(): (track: DashboardTrack) => string {
  const { t, i18n } = useLingui();
  const who = useWho();
  return ({ direction, source, person }) => {
    const what = sources[source] ? i18n._(sources[source]) : source;
    const name = who(person);
    return direction === "sent" ? t`${what}, to ${name}` : t`${what}, from ${name}`;
  };
}
