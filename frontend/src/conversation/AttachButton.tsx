import { useRef } from "react";
import { Icon } from "../ui/Icon";

export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Attach files"
        title="Attach pictures, PDFs or text files. You can also paste them or drop them here."
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        data-testid="attach-input"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = ""; // so that the same file can be chosen again
        }}
      />
    </>
  );
}
