import { visible } from "../lib/visible";

const LABELS: Record<string, string> = {
  title: "Title",
  description: "Description",
  schema: "Parameters",
  hints: "What the server says about it",
};

/** What a server changed about a tool: each field as it was accepted, and as it is now. */
export function Changes({ changes }: { changes: Record<string, { before: string; after: string }> }) {
  return (
    <dl className="stack gap-8" aria-label="What has changed">
      {Object.entries(changes).map(([name, { before, after }]) => (
        <div key={name} className="stack gap-4">
          <dt className="small muted">{LABELS[name] ?? name}</dt>
          <dd className="pre-wrap break-anywhere">
            <del>{visible(before) || "(nothing)"}</del>
          </dd>
          <dd className="pre-wrap break-anywhere">
            <ins>{visible(after) || "(nothing)"}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
