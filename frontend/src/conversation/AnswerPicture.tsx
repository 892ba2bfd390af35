import type { Tokens } from "marked";
import { useContext } from "react";
import { FileLink, FilesAtHand } from "../files/FileLink";
import { useFile } from "../files/queries";
import { useLive } from "../store/SessionContext";
import { shownPath } from "../tools/facts";
import { Icon } from "../ui/Icon";

const DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

interface PictureProps {
  address: string;
  words: string;
}

/**
 * A picture in an answer: a file of the workspace, or one that is part of the text. One elsewhere is only linked, because
 * to load it would tell somebody who reads the conversation, and what the address says.
 */
export function AnswerPicture({ picture }: { picture: Tokens.Image | null }) {
  const atHand = useContext(FilesAtHand);
  const address = picture?.href ?? "";
  const words = picture?.text ?? "";
  if (DATA.test(address)) return <img className="answer-picture" src={address} alt={words} />;
  if (!SCHEME.test(address) && atHand) return <FilePicture path={shownPath(address)} words={words} />;
  return <Elsewhere address={address} words={words} />;
}

function FilePicture({ path, words }: { path: string; words: string }) {
  const sessionId = useLive((state) => state.session?.id ?? "");
  const file = useFile(sessionId, path);
  const isPicture = file.data?.kind === "media" && file.data.media_type.startsWith("image/");
  return (
    <figure className="answer-figure stack gap-4 items-start">
      {file.data && isPicture && (
        <img
          className="answer-picture"
          src={`data:${file.data.media_type};base64,${file.data.base64}`}
          alt={words}
        />
      )}
      {(file.error || (file.data && !isPicture)) && (
        <p className="small muted">This picture cannot be shown: {words || path}</p>
      )}
      <figcaption className="small">
        <FileLink path={path} />
      </figcaption>
    </figure>
  );
}

function Elsewhere({ address, words }: PictureProps) {
  const isWeb = /^https?:\/\//i.test(address);
  const content = (
    <>
      <Icon name="image" size={14} /> Picture: {words || address}
    </>
  );
  if (!isWeb) return <p className="inline gap-4 muted">{content}</p>;
  return (
    <p>
      <a href={address} target="_blank" rel="noopener noreferrer" className="inline gap-4" title={address}>
        {content}
      </a>
    </p>
  );
}
