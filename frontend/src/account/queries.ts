// Queries of the account page and their keys.
import { useQuery } from "@tanstack/react-query";
import * as auth from "../api/auth";
import { queryClient } from "../app/queries";

export const accountKeys = {
  factors: ["account", "factors"],
  devices: ["account", "devices"],
  addresses: ["account", "addresses"],
  linked: ["account", "linked"],
} as const;

export const useFactors = () => useQuery({ queryKey: accountKeys.factors, queryFn: auth.listAuthenticators });
export const useDevices = () => useQuery({ queryKey: accountKeys.devices, queryFn: auth.listDevices });
export const useAddresses = () => useQuery({ queryKey: accountKeys.addresses, queryFn: auth.listAddresses });
export const useLinked = () => useQuery({ queryKey: accountKeys.linked, queryFn: auth.listLinked });

export const refresh = (key: readonly string[]) => queryClient.invalidateQueries({ queryKey: key });
