// What killing a test's run at every boundary showed, in plain words.
import type { CrashSum } from "~/store/flowTests";
import { crashWords } from "./words";

export default function Crashes({ sum }: { sum: CrashSum }) {
  const isDone = sum.boundaries > 0 && sum.done >= sum.boundaries;
  const look = sum.broken.length || sum.fault ? "failed" : isDone ? "succeeded" : "running";
  return (
    <div className="test-crash">
      <p>
        <span className={`mark mark-${look}`}>{look === "running" ? "Crashing" : "Crash-tested"}</span>{" "}
        {crashWords(sum)}
      </p>
      {sum.broken.length > 0 && (
        <ul>
          {sum.broken.slice(0, 20).map((one) => (
            <li key={one.moment}>
              Killed {one.moment}: {one.differences.join("; ")}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
