import { type ReactNode, useState } from "react";
import { changeSession } from "../api/endpoints";
import { useConnection } from "../store/SessionContext";
import { Chevron } from "../ui/Chevron";
import { Menu } from "../ui/Menu";
import type { MenuEntries, MenuEntry } from "../ui/menuEntries";
import "./Prompt.css";

type Change = Parameters<typeof changeSession>[1];

/** An entry that changes a setting of the session. */
export interface Choice extends Omit<MenuEntry, "run" | "isChosen"> {
  isChosen: boolean;
  change: Change;
}

interface ChoiceMenuProps {
  /** What the menu chooses: "Agent", "Model". */
  what: string;
  current: string;
  sessionId: string;
  testId: string;
  buttonClass?: string;
  mark?: ReactNode;
  onOpen?: () => void;
  choices: readonly Choice[];
  /** Entries below the choices. */
  more?: MenuEntries;
}

/** A menu above the prompt that changes a setting of the session, from the next step on. */
export function ChoiceMenu({
  what,
  current,
  sessionId,
  testId,
  buttonClass = "",
  mark,
  onOpen,
  choices,
  more = [],
}: ChoiceMenuProps) {
  const connection = useConnection();
  const [failed, setFailed] = useState(false);
  const choose = async ({ isChosen, change }: Choice) => {
    if (isChosen) return;
    try {
      connection.showSession(await changeSession(sessionId, change));
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  return (
    <>
      <Menu
        className={`agent-button inline no-shrink medium muted ${buttonClass}`}
        label={`${what} ${current}: change`}
        name={what}
        testId={testId}
        listClass="choice-list"
        side="top"
        {...(onOpen ? { onOpen } : {})}
        entries={() => [...choices.map((choice) => ({ ...choice, run: () => choose(choice) })), ...more]}
      >
        {mark}
        {current}
        <Chevron open />
      </Menu>
      {failed && (
        <span className="small text-failed" role="status">
          Could not change it. Try again.
        </span>
      )}
    </>
  );
}
