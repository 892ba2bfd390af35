import { useEffect, useRef } from "react";
import { useConnection, useLive } from "../store/SessionContext";

/** The part of an id that grows with its time of creation, whatever it names. */
const timeOf = (id: string) => id.slice(id.indexOf("_") + 1);

/** Loads older messages until the one that the id belongs to is there (`isHere`). An empty id loads none. */
export function useLoadedUntil(id: string, isHere: boolean): void {
  const { loadOlder } = useConnection();
  const older = useLive((state) => state.older);
  const failed = useLive((state) => state.olderError !== null);
  const isLoading = useLive((state) => state.isLoadingOlder);
  /** The id whose last possible page was loaded: the first that has older messages only. */
  const last = useRef("");
  useEffect(() => {
    if (!id || isHere || older === null || failed || isLoading) return;
    if (timeOf(older) <= timeOf(id)) {
      if (last.current === id) return;
      last.current = id;
    }
    void loadOlder();
  }, [id, isHere, older, failed, isLoading, loadOlder]);
}
