// Runs before the first paint so that a chosen theme never flashes; a file of its own because inline scripts are off.
(() => {
  try {
    const theme = localStorage.getItem("agentsite.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage can be blocked; the system's scheme is used then.
  }
})();
