// How a container is folded and opened: by the document in the editor, by the page alone where nothing can be changed.
import { createContext } from "react";

export const FoldContext = createContext<(id: string) => void>(() => {});
