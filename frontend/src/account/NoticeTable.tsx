import type { NoticeChange, NoticeChoice } from "../notices/choice";
import { OptionList } from "../ui/OptionList";
import type { NoticeFieldsProps } from "./noticeFields";
import { Section } from "./Section";
import "./account.css";

type Kind = NoticeChoice["news"][number];
type Waits = NoticeChoice["mail"];

const WAITS: Readonly<Record<Waits, string>> = { off: "No", own: "Mine", all: "All" };
const KINDS: Readonly<Record<Kind, string>> = {
  turn_ended: "The work that I started has ended",
  turn_failed: "The work that I started has failed",
  comment: "Somebody commented on the changes of my session",
  checks_failed: "Checks of my session's pull request have failed",
  budget: "A budget of mine, or one that I can raise, is nearly or fully used",
};
const DELAY_MINUTES = [1, 5, 15, 30, 60, 240] as const;

interface Way {
  label: string;
  waits: "page" | "mail" | "push";
  news: "page_news" | "news" | "push_news";
  /** The kinds that this way can tell. */
  kinds: readonly Kind[];
}

const ALL = Object.keys(KINDS) as Kind[];
const WAYS: readonly Way[] = [
  { label: "Open page", waits: "page", news: "page_news", kinds: ["turn_ended", "budget"] },
  { label: "E-mail", waits: "mail", news: "news", kinds: ALL },
  { label: "Push", waits: "push", news: "push_news", kinds: ALL },
];

/** Which kinds of notices the person gets in which way. */
export function NoticeTable(fields: NoticeFieldsProps) {
  return (
    <Section
      title="What you are told"
      about="What waits for your answer is also in the inbox. E-mails and push notices link to the session and contain nothing from it. Open pages and push notices need to be turned on in each browser, below."
    >
      <div className="table-scroller full-width">
        <table className="plain-table full-width notice-table">
          <thead>
            <tr>
              <th scope="col">When</th>
              {WAYS.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <WaitingRow {...fields} />
            {ALL.map((kind) => (
              <KindRow key={kind} kind={kind} {...fields} />
            ))}
          </tbody>
        </table>
      </div>
      <Delay {...fields} />
    </Section>
  );
}

function WaitingRow({ choice, busy, onChange }: NoticeFieldsProps) {
  return (
    <tr>
      <th scope="row">An agent waits for an answer</th>
      {WAYS.map(({ label, waits }) => (
        <td key={label}>
          <select
            aria-label={`${label}: an agent waits for an answer`}
            value={choice[waits]}
            disabled={busy}
            onChange={({ target }) => void onChange({ [waits]: target.value as Waits })}
          >
            <OptionList of={Object.entries(WAITS)} />
          </select>
        </td>
      ))}
    </tr>
  );
}

function KindRow({ kind, choice, busy, onChange }: NoticeFieldsProps & { kind: Kind }) {
  return (
    <tr>
      <th scope="row">{KINDS[kind]}</th>
      {WAYS.map(({ label, news, kinds }) => (
        <td key={label}>
          {kinds.includes(kind) ? (
            <input
              type="checkbox"
              aria-label={`${label}: ${KINDS[kind]}`}
              checked={chosen(choice, news).includes(kind)}
              disabled={busy}
              onChange={({ target: { checked } }) =>
                void onChange((now) => changed(now, news, kind, checked))
              }
            />
          ) : (
            <span
              className="muted"
              title={kind === "turn_failed" ? "Told together with ended work" : "Not in open pages"}
            >
              –
            </span>
          )}
        </td>
      ))}
    </tr>
  );
}

const chosen = (choice: NoticeChoice, news: Way["news"]): readonly Kind[] => choice[news];

function changed(choice: NoticeChoice, news: Way["news"], kind: Kind, isOn: boolean): NoticeChange {
  const others = chosen(choice, news).filter((each) => each !== kind);
  return { [news]: isOn ? [...others, kind] : others };
}

function Delay({ choice, busy, onChange }: NoticeFieldsProps) {
  const delays = [...new Set([...DELAY_MINUTES, choice.delay_minutes])].sort((a, b) => a - b);
  if (choice.mail === "off" && choice.news.length === 0) return null;
  return (
    <label className="field">
      E-mails come after
      <select
        value={choice.delay_minutes}
        disabled={busy}
        onChange={({ target }) => void onChange({ delay_minutes: Number(target.value) })}
      >
        <OptionList
          of={delays.map((minutes) => [minutes, minutes < 60 ? `${minutes} min` : `${minutes / 60} h`])}
        />
      </select>
      <small className="muted">
        Only about what you have neither seen nor answered by then, and at most one in 15 minutes. “Mine” are
        your sessions and what you started, “All” is everything that you can answer.
      </small>
    </label>
  );
}
