import type { ReactNode } from "react";
import { Link } from "wouter";
import { type PlaceContext, placeLabel } from "./places";

interface PlaceBreadcrumbProps {
  context: PlaceContext;
  label: string;
  pathOf: (place: string) => string;
  children?: ReactNode;
}

/** Breadcrumb from the site down to this place. */
export function PlaceBreadcrumb({ context, label, pathOf, children }: PlaceBreadcrumbProps) {
  return (
    <nav className="breadcrumb flow gap-16 gap-y-0 muted" aria-label={label}>
      {context.places.map((item) => (
        <Link
          key={item.place}
          href={pathOf(item.place)}
          aria-current={item.place === context.here.place ? "page" : undefined}
        >
          {placeLabel(item)}
        </Link>
      ))}
      {children}
    </nav>
  );
}
