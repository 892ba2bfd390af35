import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { listImages } from "../api/images";
import { visibleLine } from "../lib/visible";

/** The name of the site's own image. */
const SITE_IMAGE = "default";

interface ImagesFieldProps {
  /** The names of the allowed images; null allows all. */
  value: readonly string[] | null;
  inherited: string;
  onChange: (value: string[] | null) => void;
}

/** The images that projects may choose, among those that operators registered. */
export function ImagesField({ value, inherited, onChange }: ImagesFieldProps) {
  const id = useId();
  const images = useQuery({ queryKey: ["images"], queryFn: listImages });
  const known = [SITE_IMAGE, ...(images.data?.items.map(({ name }) => name) ?? [])];
  // Names that are not registered, or not any more, can be removed from the list.
  const names = [...known, ...(value ?? []).filter((name) => !known.includes(name))];
  const toggle = (name: string, on: boolean) =>
    onChange(names.filter((each) => (each === name ? on : value?.includes(each))));
  return (
    <fieldset className="option-line ruled" data-limit="images" aria-describedby={`${id}-hint`}>
      <legend className="sr-only">Images that projects may choose</legend>
      <span aria-hidden="true">Images that projects may choose</span>
      <div className="limit-field stack gap-8">
        <label className="line gap-6">
          <input
            type="checkbox"
            checked={value === null}
            onChange={(event) => onChange(event.target.checked ? null : [...known])}
          />
          All images
        </label>
        {value !== null &&
          names.map((name) => (
            <label key={name} className="line gap-6">
              <input
                type="checkbox"
                checked={value.includes(name)}
                onChange={(event) => toggle(name, event.target.checked)}
              />
              <span className="break-anywhere">
                {visibleLine(name)}
                {images.data && !known.includes(name) && <span className="muted"> (not registered)</span>}
              </span>
            </label>
          ))}
        <p id={`${id}-hint`} className={value?.length === 0 ? "small text-failed" : "small muted"}>
          {value?.length === 0
            ? "Without an image, no workspace starts."
            : "An image must be allowed by the site, the team and the project."}
          {inherited && ` ${inherited}.`}
        </p>
      </div>
    </fieldset>
  );
}
