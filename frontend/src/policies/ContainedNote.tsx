/** Says what a team gives up with the preset “contained”, and what is still asked. */
export function ContainedNote() {
  return (
    <div className="stack gap-0" data-testid="contained-note">
      <p className="medium">With this preset only the container confines what runs. You give up:</p>
      <ul>
        <li>
          Nobody sees a command before it runs, even if it cannot be read completely. It can change or delete
          every file of the workspace.
        </li>
        <li>
          Rules judge what is written in a command. A program that it runs can read secrets, change git’s
          settings or change the rules of the project without a question.
        </li>
        <li>
          Names that are only computed at run time are not judged: commands and files put together from what a
          program prints or a file contains, such as $(cat file).
        </li>
      </ul>
      <p>
        Still asked, and denied when nobody is there to answer: the web, pushes, publishing and other uses of
        accounts, reading files with secrets, git’s settings, and the rules of the project, wherever they can
        be seen. Denies and limits apply as before. Programs reach only hosts that the network mode allows;
        with the mode “open”, anything can leave the workspace.
      </p>
    </div>
  );
}
