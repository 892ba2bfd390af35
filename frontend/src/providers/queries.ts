// Queries of providers and models, and their keys.
import { useQuery } from "@tanstack/react-query";
import * as api from "../api/providers";
import { queryClient } from "../app/queries";

const keys = {
  all: ["providers"],
  kinds: ["providers", "kinds"],
  team: (id: string) => ["providers", "team", id],
  models: ["models"],
  place: (place: string) => ["models", place],
} as const;

export const useProviderKinds = () =>
  useQuery({
    queryKey: keys.kinds,
    queryFn: api.listProviderKinds,
    select: (found) => found.items,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The models of a kind of provider that the site knows. */
export const useKnownModels = (kind: string) =>
  useQuery({
    queryKey: [...keys.kinds, kind, "models"],
    queryFn: () => api.listKnownModels(kind),
    select: (found) => found.items,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useProviders = (teamId: string) =>
  useQuery({
    queryKey: keys.team(teamId),
    queryFn: () => api.listProviders(teamId),
    select: (found) => found.items,
  });

/** `place` is the id of a team or project; empty while it is unknown. */
export const useModels = (place: string) =>
  useQuery({
    queryKey: keys.place(place),
    queryFn: () => api.listModels(place),
    enabled: place !== "",
    staleTime: 60_000,
  });

export async function refreshProviders(): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: keys.models });
  await queryClient.invalidateQueries({ queryKey: keys.all });
}

export const refreshModels = () => queryClient.invalidateQueries({ queryKey: keys.models });
