// The browsers in which the person gets push notices.
import { useQuery } from "@tanstack/react-query";
import { readPush } from "../api/push";
import { queryClient } from "../app/queries";

const KEY = ["push"];

export const usePush = () => useQuery({ queryKey: KEY, queryFn: readPush });
export const refreshPush = () => queryClient.invalidateQueries({ queryKey: KEY });
