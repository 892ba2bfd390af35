// The configuration of signing in, and the refresh of all queries afterwards.
import { useQuery } from "@tanstack/react-query";
import { readConfig } from "../api/auth";
import { queryClient } from "../app/queries";

export const completeSignIn = (): Promise<void> => queryClient.invalidateQueries();

export const useConfig = () =>
  useQuery({ queryKey: ["sign-in-config"], queryFn: readConfig, staleTime: Number.POSITIVE_INFINITY });
