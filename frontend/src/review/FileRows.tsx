import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readChanges } from "../api/review";
import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Chevron } from "../ui/Chevron";
import { Problem } from "../ui/Notice";
import { Cell } from "./Cell";
import { Counts } from "./Counts";
import { useFileAlone } from "./queries";
import type { Row } from "./rows";
import type { Review } from "./useReview";

const STATUS = { added: "Added", modified: "", deleted: "Deleted", renamed: "Renamed" } as const;
const KINDS = { dependencies: "Dependencies", cache: "Cache", build: "Build products" } as const;

interface RowProps<Kind extends Row["kind"]> {
  row: Extract<Row, { kind: Kind }>;
  review: Review;
}

export function FileHead({ row, review }: RowProps<"file">) {
  const { file } = row;
  const approved = review.mine.has(file.path);
  const others = review.approvals.filter(
    (each) => each.path === file.path && each.version === file.version && each.person.id !== review.me,
  );
  const outdated = review.approvals.some(
    (each) => each.path === file.path && each.version !== file.version && each.person.id === review.me,
  );
  return (
    <Cell className="review-head line gap-8">
      <button
        type="button"
        className="review-head-name line gap-6 grow"
        aria-expanded={row.isOpen}
        onClick={() => review.toggle(row)}
      >
        <Chevron open={row.isOpen} />
        <span className="medium break-anywhere">{visibleLine(file.path)}</span>
        {STATUS[file.status] && <span className="muted review-tag">{STATUS[file.status]}</span>}
        {file.generated && <span className="muted review-tag">Generated</span>}
      </button>
      {file.counted && !file.binary && <Counts additions={file.additions} deletions={file.deletions} />}
      {others.length > 0 && (
        <span className="muted review-tag" title={others.map((each) => each.person.email).join(", ")}>
          {plural(others.length, "approval")}
        </span>
      )}
      {outdated && <span className="text-waiting review-tag">Changed since you approved it</span>}
      {review.canAct && (
        <label className="review-approve inline gap-6">
          <input
            type="checkbox"
            checked={approved}
            disabled={review.busy}
            onChange={() => void review.setApproved(file, !approved)}
          />
          Approved
        </label>
      )}
      {review.canAct && (
        <button
          type="button"
          className="link"
          onClick={() => {
            review.openFile(file.path);
            review.edit({ path: file.path, side: "new", first: 0, last: 0 });
          }}
        >
          Comment
        </button>
      )}
    </Cell>
  );
}

/** Loads the patch that the list leaves out; at once for a file that a person opened and for a source. */
export function LoadRow({ row, review }: RowProps<"load">) {
  const { file } = row;
  const options = { ...review.options, path: file.path };
  const alone = useFileAlone(review.sessionId, options, file.version);
  const { addPatch } = review;
  const loaded = alone.data?.files[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: `addPatch` is another function each time
  useEffect(() => {
    if (loaded)
      addPatch({ ...loaded, cut: loaded.patch || loaded.cut === "not_recorded" ? "" : "not_recorded" });
  }, [loaded]);
  return (
    <Cell className="review-note muted">
      {alone.error ? <Problem error={alone.error} onRetry={alone.refetch} /> : "Loading this file…"}
    </Cell>
  );
}

/** A folder of dependencies, a cache or build products: one line, and its files when it is opened. */
export function FolderRow({ row, review }: RowProps<"folder">) {
  const { folder } = row;
  return (
    <Cell className="review-head stack gap-4" testId="folded-folder">
      <button
        type="button"
        className="review-head-name line gap-6"
        aria-expanded={row.isOpen}
        onClick={() => review.toggle(row)}
      >
        <Chevron open={row.isOpen} />
        <span className="medium break-anywhere">{visibleLine(folder.path)}/</span>
        <span className="muted review-tag">
          {KINDS[folder.kind]}, {plural(folder.files, "file")}
        </span>
      </button>
      {row.isOpen && <FolderFiles path={folder.path} review={review} />}
    </Cell>
  );
}

const FIRST_FILES = 200;

function FolderFiles({ path, review }: { path: string; review: Review }) {
  const [limit, setLimit] = useState(FIRST_FILES);
  const found = useQuery({
    queryKey: ["review", review.sessionId, "under", path, review.options],
    queryFn: () => readChanges(review.sessionId, { ...review.options, under: path }),
  });
  if (found.error) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <span className="muted">Loading its files…</span>;
  const { files, more_files: more = 0 } = found.data;
  return (
    <ul className="review-folder">
      {files.slice(0, limit).map((file) => (
        <li key={file.path}>
          {visibleLine(file.path)} <Counts additions={file.additions} deletions={file.deletions} />
        </li>
      ))}
      {files.length > limit && (
        <li>
          <button type="button" className="link" onClick={() => setLimit(files.length)}>
            Show {plural(files.length - limit, "more file")}
          </button>
        </li>
      )}
      {more > 0 && <li className="muted">{plural(more, "more file")} changed.</li>}
    </ul>
  );
}
