import { useProject } from "../app/queries";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { usePrompt } from "./PromptContext";
import "./Conversation.css";

export function EmptySession() {
  const projectId = useLive((state) => state.session?.project_id);
  const canAct = useLive((state) => state.canAct);
  const { pending, send } = usePrompt();
  const project = useProject(projectId).data;
  if (pending !== null) return null;
  return (
    <div className="empty-session stack">
      <h2>What should the agent do?</h2>
      <p className="muted">
        The agent reads and edits files in this workspace's container, and asks before it runs commands.
      </p>
      {project?.suggested_prompt && canAct && (
        <button
          type="button"
          className="suggestion line gap-12 full-width"
          data-testid="suggested-prompt"
          onClick={() => void send(project.suggested_prompt)}
        >
          <span className="suggestion-label muted">Try</span>
          <span>{project.suggested_prompt}</span>
          <Icon name="send" />
        </button>
      )}
    </div>
  );
}
