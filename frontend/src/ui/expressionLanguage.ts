// Colours of expressions and of texts with placeholders. What is right and what it gives is the server's to say.
import { StreamLanguage, type StringStream } from "@codemirror/language";

interface State {
  /** Inside `{{ }}` of a text. */
  inside: boolean;
}

const WORD = /^[A-Za-z_]\w*/;

function expressionToken(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match("{{") || stream.match("}}")) return "brace";
  if (stream.match(/^'(?:[^'\\]|\\.)*'?/) || stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
  if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return "number";
  const word = stream.match(WORD);
  if (word) {
    if (/^(true|false|null)$/.test(stream.current())) return "atom";
    return /^\s*\(/.test(stream.string.slice(stream.pos)) ? "variableName.function" : "variableName";
  }
  if (stream.match(/^(?:===?|!==?|<=?|>=?|&&|\|\||[-+*/%!])/)) return "operator";
  stream.next();
  return "punctuation";
}

export const expressionLanguage = StreamLanguage.define<State>({
  name: "expression",
  startState: () => ({ inside: false }),
  token: expressionToken,
});

export const templateLanguage = StreamLanguage.define<State>({
  name: "template",
  startState: () => ({ inside: false }),
  token(stream, state) {
    if (state.inside) {
      if (stream.match("}}")) {
        state.inside = false;
        return "brace";
      }
      return expressionToken(stream);
    }
    if (stream.match("{{")) {
      state.inside = true;
      return "brace";
    }
    if (stream.sol() && stream.match(/^\$[A-Za-z_]\w*$/)) return "variableName";
    while (!stream.eol() && !stream.match("{{", false)) stream.next();
    return null;
  },
});
