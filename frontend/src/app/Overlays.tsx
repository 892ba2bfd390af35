import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { type Overlay, shellStore } from "./shellStore";

const DIALOGS = {
  palette: lazy(() => import("./Palette").then(({ Palette }) => ({ default: Palette }))),
  help: lazy(() => import("./KeysDialog").then(({ KeysDialog }) => ({ default: KeysDialog }))),
  providers: lazy(() =>
    import("./ProvidersDialog").then(({ ProvidersDialog }) => ({ default: ProvidersDialog })),
  ),
  newTeam: lazy(() =>
    import("../team/CreateTeam").then(({ CreateTeamDialog }) => ({ default: CreateTeamDialog })),
  ),
  newProject: lazy(() =>
    import("../project/CreateProjectDialog").then(({ CreateProjectDialog }) => ({
      default: CreateProjectDialog,
    })),
  ),
} satisfies Record<Overlay, unknown>;
const Tips = lazy(() => import("../ui/Tips").then((all) => ({ default: all.Tips })));
const TIPS_AFTER_MS = 3_000; // the page comes first
const NAMES = Object.keys(DIALOGS) as Overlay[];

/** The dialogs that can be opened from every page. Each is loaded when it is first opened, and then stays mounted. */
export function Overlays() {
  const state = useStore(shellStore);
  const opened = useRef(new Set<Overlay>());
  for (const name of NAMES) if (state[name]) opened.current.add(name);
  return NAMES.filter((name) => opened.current.has(name)).map((name) => {
    const Body = DIALOGS[name];
    return (
      <Suspense key={name} fallback={null}>
        <Body />
      </Suspense>
    );
  });
}

/** Tips of buttons, loaded when the page has had time to load. */
export function TipsLater() {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), TIPS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    isTime && (
      <Suspense fallback={null}>
        <Tips />
      </Suspense>
    )
  );
}
