// What every unit test has: the matchers of jest-dom, and no leftovers of the test before.
import "@testing-library/jest-dom/vitest";
import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

afterEach(() => cleanup());
