// The dialogs of trying and pinning, and their commands; one stands on the page.
import { lazy, Suspense, useEffect, useLayoutEffect } from "react";
import { useCommands } from "~/store/commands";
import { followPins } from "~/store/pins";
import { useTrying } from "~/store/trying";
import { TRY_COMMANDS } from "./commands";

const NeedsDialog = lazy(() => import("./NeedsDialog"));
const PinDialog = lazy(() => import("./PinDialog"));
const PinsDialog = lazy(() => import("./PinsDialog"));
const RealDialog = lazy(() => import("./RealDialog"));

export default function Trying({ flow, mayRun }: { flow: string; mayRun: boolean }) {
  const dialog = useTrying((state) => state.dialog);
  useLayoutEffect(() => useCommands.getState().add(TRY_COMMANDS), []);
  useEffect(() => useTrying.setState({ flow, mayRun, dialog: null }), [flow, mayRun]);
  useEffect(() => followPins(flow), [flow]);
  if (!dialog) return null;
  return (
    <Suspense fallback={null}>
      {dialog.kind === "pin" ? <PinDialog key={dialog.node} flow={flow} node={dialog.node} /> : null}
      {dialog.kind === "needs" ? <NeedsDialog key={dialog.nodes.join()} {...dialog} /> : null}
      {dialog.kind === "real" ? <RealDialog key={dialog.nodes.join()} flow={flow} nodes={dialog.nodes} /> : null}
      {dialog.kind === "pins" ? <PinsDialog /> : null}
    </Suspense>
  );
}
