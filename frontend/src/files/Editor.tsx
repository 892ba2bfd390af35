// The text editor. It lives in a shadow root, whose style sheets a strict content security policy allows.
import { LanguageDescription, syntaxHighlighting } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { Annotation, Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { useEffect, useRef } from "react";
import { nameOf } from "./paths";

const FROM_OUTSIDE = Annotation.define<boolean>();

interface EditorProps {
  path: string;
  text: string;
  /** The line to show first, from 1; 0 for the beginning. */
  line: number;
  readOnly: boolean;
  onChange: (text: string) => void;
  onSave: () => void;
}

export default function Editor({ path, text, line, readOnly, onChange, onSave }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const current = useRef({ onChange, onSave });
  current.current = { onChange, onSave };
  const first = useRef({ text, line });

  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const language = new Compartment();
    const save = () => {
      current.current.onSave();
      return true;
    };
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current.text,
        extensions: [
          keymap.of([{ key: "Mod-s", run: save, preventDefault: true }]),
          basicSetup,
          THEME,
          syntaxHighlighting(COLOURS),
          language.of([]),
          EditorState.readOnly.of(readOnly),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": `Text of ${path}`, tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            const byPerson = update.transactions.some((each) => !each.annotation(FROM_OUTSIDE));
            if (update.docChanged && byPerson) current.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    goTo(editor, first.current.line);
    void loadLanguage(path).then((support) => {
      if (support && view.current === editor) editor.dispatch({ effects: language.reconfigure(support) });
    });
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [path, readOnly]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === text) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      annotations: FROM_OUTSIDE.of(true),
    });
  }, [text]);

  useEffect(() => {
    if (view.current) goTo(view.current, line);
  }, [line]);

  return <div ref={host} className="files-editor grow" data-testid="editor" />;
}

function goTo(editor: EditorView, line: number): void {
  if (line < 1) return;
  const place = editor.state.doc.line(Math.min(line, editor.state.doc.lines));
  editor.dispatch({
    selection: { anchor: place.from },
    effects: EditorView.scrollIntoView(place.from, { y: "center" }),
  });
}

async function loadLanguage(path: string) {
  const found = LanguageDescription.matchFilename(languages, nameOf(path));
  return found ? found.load() : null;
}

const COLOURS = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: "tok-string" },
  { tag: [tags.comment, tags.meta], class: "tok-comment" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: "tok-constant" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], class: "tok-function" },
  { tag: [tags.typeName, tags.className, tags.tagName, tags.heading], class: "tok-type" },
  { tag: [tags.propertyName, tags.attributeName], class: "tok-property" },
  { tag: tags.link, class: "tok-link" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--text)", backgroundColor: "var(--ground)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", fontVariantLigatures: "none" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--panel)",
    color: "var(--faint)",
    borderRight: "1px solid var(--hair)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-wash)",
  },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--hair)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--press)", color: "var(--muted)", border: "none" },
  ".tok-keyword": { color: "var(--code-token-keyword)" },
  ".tok-string": { color: "var(--code-token-string)" },
  ".tok-comment": { color: "var(--code-token-comment)" },
  ".tok-constant": { color: "var(--code-token-constant)" },
  ".tok-function": { color: "var(--code-token-function)" },
  ".tok-type, .tok-property": { color: "var(--code-token-parameter)" },
  ".tok-link": { color: "var(--accent)" },
});
