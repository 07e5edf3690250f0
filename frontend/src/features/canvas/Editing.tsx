// What canvas and outline share: the commands, the clipboard, and what both ask at a point of the screen.
import Asked from "./Asked";
import { useCanvasCommands } from "./commands";
import { useClipboard } from "./useClipboard";

export default function Editing() {
  useCanvasCommands();
  useClipboard();
  return <Asked />;
}
