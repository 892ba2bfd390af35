import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { Project } from "../api/types";
import { useTypingInto } from "../app/keys";
import { shellStore } from "../app/shellStore";
import { AttachButton } from "../conversation/AttachButton";
import { readDraft, writeDraft } from "../conversation/draft";
import { formatBytes } from "../lib/format";
import { JUST_MADE } from "../project/paths";
import { PrivateChoice } from "../together/PrivateChoice";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useDrop } from "../ui/useDrop";
import { TaskFields } from "./TaskFields";
import { DRAFT_OF_NEW, useStartTask } from "./useStartTask";
import { useTaskOptions } from "./useTaskOptions";
import "./composer.css";

interface ComposerProps {
  project: Project;
  /** The field that chooses the project, where it can be chosen. */
  children?: ReactNode;
}

/** Starts a task: the first prompt of a session that is created when it is sent. */
export function Composer({ project, children }: ComposerProps) {
  const [text, setText] = useState(() => readDraft(DRAFT_OF_NEW));
  const [files, setFiles] = useState<readonly File[]>([]);
  const { options, change, workspaces, repository } = useTaskOptions(project);
  const { start, busy, error } = useStartTask(project.id);
  const box = useComposerFocus();
  const isOver = useDrop((dropped) => setFiles((before) => [...before, ...dropped.files]));
  const isReady = !busy && (text.trim() !== "" || files.length > 0);
  const write = (next: string) => {
    setText(next);
    writeDraft(DRAFT_OF_NEW, next);
  };
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (isReady) start(text.trim(), options, files);
  };
  return (
    <>
      <form
        className="composer full-width"
        data-drop={isOver || undefined}
        onSubmit={submit}
        aria-label="New task"
      >
        <label>
          <span className="sr-only">What should the agent do?</span>
          <textarea
            ref={box}
            rows={3}
            placeholder="What should the agent do?"
            value={text}
            onChange={(event) => write(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
            }}
          />
        </label>
        <FileNames files={files} onRemove={(file) => setFiles(files.filter((each) => each !== file))} />
        <TaskFields
          projectId={project.id}
          options={options}
          workspaces={workspaces}
          hasRepository={repository !== null}
          onChange={change}
        >
          {children}
        </TaskFields>
        <div className="composer-foot cluster">
          <PrivateChoice checked={options.isPrivate} onChange={(isPrivate) => change({ isPrivate })} />
          <span className="spacer" />
          <button
            type="button"
            className="quiet-button small muted"
            title="Open a session without a prompt, to look at its files"
            disabled={busy}
            onClick={() => start("", options)}
          >
            Empty session
          </button>
          <AttachButton onFiles={(added) => setFiles([...files, ...added])} />
          <button type="submit" className="button primary" disabled={!isReady}>
            {busy ? "Starting" : "Start"} <Icon name="send" size={14} />
          </button>
        </div>
      </form>
      {error !== null && <Problem error={error} />}
      {project.suggested_prompt && (
        <button
          type="button"
          className="suggestion line gap-12 full-width"
          data-testid="suggested-prompt"
          disabled={busy}
          onClick={() => start(project.suggested_prompt, options)}
        >
          <span className="suggestion-label muted">Try</span>
          <span>{project.suggested_prompt}</span>
          <Icon name="send" />
        </button>
      )}
    </>
  );
}

/** The text area: it has the focus in a project that was made just now, after "New task", and when somebody types. */
function useComposerFocus() {
  const box = useRef<HTMLTextAreaElement>(null);
  const asked = useStore(shellStore, (state) => state.compose);
  const seen = useRef(window.history.state === JUST_MADE ? -1 : 0);
  useTypingInto(box);
  useEffect(() => {
    // a dialog that closes now still keeps the focus
    if (asked !== seen.current) requestAnimationFrame(() => box.current?.focus());
    seen.current = asked;
  }, [asked]);
  return box;
}

function FileNames({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }) {
  if (files.length === 0) return null;
  return (
    <ul className="composer-files flow" aria-label="Attached files">
      {files.map((file) => (
        <li key={`${file.name} ${file.size} ${file.lastModified}`} className="badge inline">
          <span className="ellipsis">{file.name}</span> {formatBytes(file.size)}
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${file.name}`}
            onClick={() => onRemove(file)}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}
