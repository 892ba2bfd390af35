// Every shared component in all of its states, in the light and in the dark scheme. Only "npm run dev" shows this page.
import { type ReactNode, useState } from "react";
import { CodeBlock } from "../conversation/CodeBlock";
import { Markdown } from "../conversation/Markdown";
import { ConfirmDialog, Losses } from "../ui/ConfirmDialog";
import { CopyField } from "../ui/CopyField";
import { DiffView } from "../ui/DiffView";
import { ExpandableRow } from "../ui/ExpandableRow";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { LINE, type MenuEntries } from "../ui/menuEntries";
import { Problem, Skeleton } from "../ui/Notice";
import { OneTimeSecret } from "../ui/OneTimeSecret";
import { ProblemBox } from "../ui/ProblemBox";
import { RadioChoices } from "../ui/RadioChoices";
import { SessionDot } from "../ui/StateDot";
import { Tabs } from "../ui/Tabs";
import { TextField } from "../ui/TextField";
import type { Meter } from "../workspaces/labels";
import { UsageBar } from "../workspaces/UsageBar";
import { MARKDOWN, PATCH } from "./samples";
import "./gallery.css";

const SCHEMES = ["light", "dark"] as const;

export function Gallery() {
  return (
    <main className="gallery">
      <h1>Components of the interface</h1>
      <div className="gallery-schemes">
        {SCHEMES.map((scheme) => (
          <section
            key={scheme}
            className={`gallery-scheme gallery-${scheme} stack gap-16`}
            aria-label={scheme}
          >
            <Samples scheme={scheme} />
          </section>
        ))}
      </div>
    </main>
  );
}

function Sample({ name, scheme, children }: { name: string; scheme: string; children: ReactNode }) {
  return (
    <section className="stack gap-8" aria-label={`${name}, ${scheme}`} data-sample={name}>
      <h2 className="small muted">{name}</h2>
      {children}
    </section>
  );
}

const ENTRIES: MenuEntries = [
  { label: "First of two", hint: "With a sentence about it", isChosen: true },
  { label: "Second of two", hint: "With a sentence about it", isChosen: false },
  LINE,
  { label: "With a key", icon: "list", detail: "Alt H" },
  { label: "Cannot be chosen", icon: "trash", isDisabled: true },
  { label: "A link", icon: "file", href: "/" },
];
const nothing = () => undefined;
const meter = (used: number, most: number): Meter => ({
  name: "memory",
  label: "Memory",
  limit: "",
  used,
  most,
  text: `${used} of ${most}`,
});

function Samples({ scheme }: { scheme: string }) {
  const [tab, setTab] = useState<"one" | "two">("one");
  const [choice, setChoice] = useState<"a" | "b">("a");
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Sample name="Buttons" scheme={scheme}>
        <div className="flow">
          <button type="button" className="button">
            Button
          </button>
          <button type="button" className="button primary">
            Primary
          </button>
          <button type="button" className="button danger">
            Danger
          </button>
          <button type="button" className="button stop">
            <Icon name="stop" size={14} /> Stop
          </button>
          <button type="button" className="button" disabled>
            Disabled
          </button>
          <button type="button" className="button primary" disabled>
            Disabled primary
          </button>
          <button type="button" className="quiet-button">
            Quiet
          </button>
          <button type="button" className="link">
            Link
          </button>
          <button type="button" className="icon-button" aria-label="Only an icon">
            <Icon name="edit" />
          </button>
        </div>
      </Sample>
      <Sample name="Menu" scheme={scheme}>
        <div className="flow">
          <Menu
            className="button"
            label={`Menu, ${scheme}`}
            entries={() => ENTRIES}
            head={<strong>Head</strong>}
          >
            Menu
          </Menu>
        </div>
      </Sample>
      <Sample name="Tabs" scheme={scheme}>
        <Tabs
          label={`Tabs, ${scheme}`}
          tabs={[
            { name: "one", label: "One" },
            { name: "two", label: "Two", count: 3 },
          ]}
          selected={tab}
          onSelect={setTab}
          listClass="gap-4 ruled"
        >
          The panel of tab {tab}.
        </Tabs>
      </Sample>
      <Sample name="Dialog" scheme={scheme}>
        <div className="flow">
          <button type="button" className="button" onClick={() => setAsking(true)}>
            Delete…
          </button>
        </div>
        <ConfirmDialog
          open={isAsking}
          title="Delete this?"
          verb="Delete"
          icon="trash"
          onConfirm={nothing}
          onClose={() => setAsking(false)}
        >
          <Losses lost="Everything in it." kept="What is elsewhere." />
        </ConfirmDialog>
      </Sample>
      <Sample name="Fields" scheme={scheme}>
        <TextField label="Text" value="Written" hint="A sentence about the field." onText={nothing} />
        <TextField label="Empty" value="" placeholder="Nothing yet" onText={nothing} />
        <TextField label="Disabled" value="Cannot be changed" disabled onText={nothing} />
        <RadioChoices
          legend="One of two"
          name={`choice-${scheme}`}
          chosen={choice}
          onChoose={setChoice}
          choices={[
            { value: "a", label: "The first", hint: "A sentence about it." },
            { value: "b", label: "The second", hint: "A sentence about it." },
          ]}
        />
        <CopyField label={`To copy, ${scheme}`} value="ssh-ed25519 AAAA" testId="copy" />
        <OneTimeSecret label={`Secret, ${scheme}`} value="shown-once" testId="secret">
          Shown once.
        </OneTimeSecret>
      </Sample>
      <Sample name="Notices" scheme={scheme}>
        <Problem error={new Error("x")} onRetry={nothing} />
        <ProblemBox role="status" isWaiting icon="wait" message="Waits for something." hint="What to do." />
        <Skeleton rows={3} label={`Loading, ${scheme}`} />
        <p className="empty">Nothing is here yet.</p>
      </Sample>
      <Sample name="States" scheme={scheme}>
        <p className="flow">
          <SessionDot status="idle" /> idle <SessionDot status="running" /> running
          <SessionDot status="waiting" /> waiting <span className="badge">badge</span>{" "}
          <span className="count">3</span>
        </p>
        <UsageBar label={`Some, ${scheme}`} meter={meter(1, 4)} />
        <UsageBar label={`Almost full, ${scheme}`} meter={meter(9, 10)} />
        <UsageBar label={`Full, ${scheme}`} meter={meter(4, 4)} />
      </Sample>
      <Sample name="Rows" scheme={scheme}>
        <ul>
          <ExpandableRow
            name="A row"
            about={<span className="muted">about it</span>}
            testId="row"
            error={null}
          >
            What is in it.
          </ExpandableRow>
        </ul>
      </Sample>
      <Sample name="Code" scheme={scheme}>
        <DiffView patch={PATCH} path={`${scheme}.py`} />
        <div className="prose">
          <CodeBlock code={"def add(a, b):\n    return a + b"} language="python" />
        </div>
      </Sample>
      <Sample name="Answer" scheme={scheme}>
        <Markdown text={MARKDOWN} streaming={false} />
      </Sample>
    </>
  );
}
