import type { ReactNode } from "react";
import { Link } from "wouter";
import { placeLabel, type Surroundings } from "./places";

interface PlacesProps {
  around: Surroundings;
  label: string;
  pathOf: (place: string) => string;
  children?: ReactNode;
}

/** Breadcrumb from the site down to this place. */
export function Places({ around, label, pathOf, children }: PlacesProps) {
  return (
    <nav className="places" aria-label={label}>
      {around.places.map((item) => (
        <Link
          key={item.place}
          href={pathOf(item.place)}
          aria-current={item.place === around.here.place ? "page" : undefined}
        >
          {placeLabel(item)}
        </Link>
      ))}
      {children}
    </nav>
  );
}
