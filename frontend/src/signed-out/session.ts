// What happens after signing in, and the configuration of signing in.
import { useQuery } from "@tanstack/react-query";
import { readConfig } from "../api/auth";
import { queryClient } from "../app/queries";

export const completeSignIn = (): Promise<void> => queryClient.invalidateQueries();

export const useConfig = () =>
  useQuery({ queryKey: ["sign-in-config"], queryFn: readConfig, staleTime: Number.POSITIVE_INFINITY });
