// The state of a review: what is open, where the cursor is, and the comment that is being written.
import { useMemo, useState } from "react";
import {
  approveFile,
  createReviewComment,
  type DiffOptions,
  type FileApproval,
  type ReviewComment,
  withdrawApproval,
} from "../api/review";
import type { FileDiff, SessionDiff } from "../api/types";
import { usePerson } from "../app/person";
import { useSession } from "../app/queries";
import { isAdmin } from "../permissions/approvers";
import { useLive } from "../store/SessionContext";
import { useAction } from "../ui/useAction";
import { refreshApprovals, refreshComments } from "./queries";
import { buildRows, type Place, quoteOf, type Row, type Side, type ViewOptions } from "./rows";
import { useShownPatches } from "./useShownPatches";
import { keyOfPlace, rememberedPlace, rememberPlace, writtenOf } from "./written";

export interface ReviewData {
  changes: SessionDiff | undefined;
  comments: readonly ReviewComment[];
  approvals: readonly FileApproval[];
}

/** The row with the cursor, and the row where the marked range begins. `jump` grows when the list must follow. */
export interface Cursor {
  key: string;
  side: Side;
  anchor: string;
  jump: number;
}

export type Review = ReturnType<typeof useReview>;

export function useReview(sessionId: string, view: ViewOptions, options: DiffOptions, data: ReviewData) {
  const person = usePerson(useSession(sessionId).data?.project_id);
  const me = person.id;
  const canAct = useLive((state) => state.canAct);
  const [editor, setEditor] = useState<Place | null>(() => rememberedPlace(sessionId));
  const [open, setOpen] = useState<Readonly<Record<string, boolean>>>(editor ? { [editor.path]: true } : {});
  const [editedId, setEditedId] = useState("");
  const [cursor, setCursor] = useState<Cursor>({
    key: editor ? "editor" : "",
    side: "new",
    anchor: "",
    jump: 0,
  });
  const written = useMemo(() => writtenOf(sessionId), [sessionId]);
  const action = useAction();
  const files = data.changes?.files ?? [];
  const mine = useMemo(() => validApprovals(files, data.approvals, me), [files, data.approvals, me]);
  const { patches, addPatch, loadLines } = useShownPatches(sessionId, files, options);
  const comments = useMemo(() => data.comments.filter((each) => each.state !== "deleted"), [data.comments]);
  const rows = useMemo(
    () =>
      buildRows(files, data.changes?.folded ?? [], {
        layout: view.layout,
        open,
        patches,
        comments,
        approved: mine,
        editor,
      }),
    [files, data.changes?.folded, view.layout, open, patches, comments, mine, editor],
  );
  const setApproved = (file: FileDiff, wanted: boolean) =>
    action.run(async () => {
      if (wanted) await approveFile(sessionId, file.path, file.version);
      else await withdrawApproval(sessionId, file.path);
      setOpen(({ [file.path]: _, ...others }) => others);
      await refreshApprovals(sessionId);
    });
  const edit = (place: Place | null) => {
    const next = canAct ? place : null;
    rememberPlace(sessionId, next);
    setEditor(next);
  };
  const goTo = (key: string) => setCursor((at) => ({ ...at, key, anchor: key, jump: at.jump + 1 }));
  const saveComment = (place: Place, text: string) =>
    action.run(async () => {
      const file = files.find((each) => each.path === place.path || each.old_path === place.path);
      await createReviewComment(sessionId, {
        path: place.path,
        side: place.side,
        first_line: place.first,
        last_line: place.last,
        quote: quoteOf(rows, place),
        version: file?.version ?? "",
        text,
      });
      written.set(keyOfPlace(place), "");
      edit(null);
      await refreshComments(sessionId);
    });
  return {
    sessionId,
    options,
    files,
    more: data.changes?.more_files ?? 0,
    folded: data.changes?.folded ?? [],
    comments,
    approvals: data.approvals,
    rows,
    mine,
    me,
    canAct,
    managesSessions: isAdmin(person.role),
    editor: canAct ? editor : null,
    error: action.error,
    busy: action.busy,
    written,
    /** The comment whose text is being changed; empty if none is. */
    editedId,
    setEditedId,
    cursor,
    setCursor,
    /** Moves the cursor to a row, and the list so that the row is seen. */
    goTo,
    toggle: (row: Row) => {
      if (row.kind === "file") setOpen((before) => ({ ...before, [row.file.path]: !row.isOpen }));
      if (row.kind === "folder") setOpen((before) => ({ ...before, [`${row.folder.path}/`]: !row.isOpen }));
    },
    openFile: (path: string) => setOpen((before) => ({ ...before, [path]: true })),
    addPatch,
    /** Shows unchanged lines of a file, and moves the cursor to the row `key` that is one of them. */
    showLines: (file: FileDiff, first: number, last: number, key: string) =>
      action.run(async () => {
        await loadLines(file, first, last);
        goTo(key);
      }),
    edit,
    saveComment,
    setApproved,
  };
}

/** The files that this person approved in the version that is shown. */
function validApprovals(
  files: readonly FileDiff[],
  approvals: readonly FileApproval[],
  me: string,
): ReadonlySet<string> {
  const versions = new Map(files.map((file) => [file.path, file.version]));
  const valid = approvals.filter((each) => each.person.id === me && versions.get(each.path) === each.version);
  return new Set(valid.map((each) => each.path));
}
