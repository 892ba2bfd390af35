import { createStore } from "zustand/vanilla";
import { readStored, writeStored } from "./storage";

export type Theme = "system" | "dark" | "light";

const stored = readStored("theme");
export const themeStore = createStore<{ theme: Theme }>(() => ({
  theme: stored === "dark" || stored === "light" ? stored : "system",
}));

export function setTheme(theme: Theme): void {
  writeStored("theme", theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  themeStore.setState({ theme });
}

const systemIsDark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;

/** Switches between dark and light; stores "system" if the new theme is the system's. */
export function toggleTheme(): void {
  const { theme } = themeStore.getState();
  const shown = theme === "system" ? (systemIsDark() ? "dark" : "light") : theme;
  const next = shown === "dark" ? "light" : "dark";
  setTheme(next === (systemIsDark() ? "dark" : "light") ? "system" : next);
}
