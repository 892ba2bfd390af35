import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const backend = process.env.AGENTSITE_URL ?? "http://127.0.0.1:8000";
const proxied = Object.fromEntries(
  ["/api", "/_allauth", "/admin", "^/mcp$", "^/push-worker.js$"].map((path) => [
    path,
    { target: backend, changeOrigin: false },
  ]),
);

/** Shows the components of the interface at /_ui, while the interface is developed. */
const gallery: Plugin = {
  name: "gallery",
  apply: "serve",
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      if (request.url === "/_ui") request.url = "/static/ui.html";
      next();
    });
  },
};

const MOST_BYTES = 112_000; // of the entry script and all that it imports, compressed; of them 82,000 for libraries

/** Fails a build in which every page loads too much: what can wait belongs into a chunk of its own. */
const initialSize: Plugin = {
  name: "initial-size",
  apply: "build",
  generateBundle(_options, bundle) {
    const initial = new Set(
      Object.values(bundle).flatMap((file) => (file.type === "chunk" && file.isEntry ? [file.fileName] : [])),
    );
    let size = 0;
    for (const name of initial) {
      const file = bundle[name];
      if (file?.type !== "chunk") continue;
      size += gzipSync(file.code).length;
      for (const imported of file.imports) initial.add(imported);
    }
    if (size > MOST_BYTES) this.error(`Every page loads ${size} bytes compressed; at most ${MOST_BYTES}`);
  },
};

export default defineConfig({
  plugins: [react(), gallery, initialSize],
  // The server rewrites "/static/" in index.html when the site lives behind a URL prefix; everything the
  // built files load themselves is addressed relative to the file that asks for it.
  base: "/static/",
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  build: {
    outDir: "dist",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 450,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Otherwise each combination of pages that share a module has a file: 66 for a session, which are loaded six
          // at a time.
          groups: [
            { name: "libraries", tags: ["$initial"], test: /node_modules/, priority: 3 },
            { name: "initial", tags: ["$initial"], priority: 2 },
            { name: "common", test: /\/src\//, minShareCount: 4, priority: 1 },
          ],
        },
      },
    },
  },
  worker: { format: "es" }, // workers load parts of theirs later, too
  server: { proxy: { ...proxied, "/ws": { target: backend, ws: true } } },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
    testTimeout: 20_000, // milliseconds; on a machine that is busy with other lanes, 5 s were not enough
    // A window and all modules for each of 70 files took six times as long as the tests. `make test-all` isolates them.
    isolate: process.env.AGENTSITE_TEST_ALL !== undefined,
    css: { include: [/\.css\?raw/] },
  },
});
