import { Trans } from "@lingui/react/macro";
import { PersonNames } from "../../person-name.tsx";
import { useView } from "../call-context.ts";

/** While a host removes someone who is in the call still, what others say waits: that person would read it. */
export function TalkWaits({ className }: { className: string | undefined }) {
  const people = useView((view) => view.people);
  const removing = useView((view) => view.removing);
  const names = people.filter(({ identity }) => removing.includes(identity)).map(({ name }) => name);
  return (
    <output className={className}>
      {names.length > 0 && (
        <Trans>
          Messages, captions and files wait until the removal of <PersonNames names={names} /> is done.
        </Trans>
      )}
    </output>
  );
}
