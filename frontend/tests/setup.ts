import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { queryClient } from "../src/app/queries";

// Only bounds a hang: beside other lanes on a busy machine, what takes 20 ms took more than the default second.
configure({ asyncUtilTimeout: 15_000 });

afterEach(() => {
  cleanup();
  queryClient.clear(); // test files share a window and its modules
  localStorage.clear();
});
