import { type ReactNode, useId } from "react";
import { effortLabel } from "../agents/efforts";
import { useAgents } from "../agents/queries";
import type { WorkspaceDetail } from "../api/workspaceTypes";
import { isForAgents } from "../providers/labels";
import { useModels } from "../providers/queries";
import { RefField } from "../repositories/RefField";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { NEW_WORKSPACE, type TaskOptions } from "./options";
import "./composer.css";

interface TaskFieldsProps {
  projectId: string;
  options: TaskOptions;
  workspaces: readonly WorkspaceDetail[];
  hasRepository: boolean;
  onChange: (change: Partial<TaskOptions>) => void;
  /** Fields before these. */
  children?: ReactNode;
}

/** The choices of a new task: files, branch, agent, model and effort. */
export function TaskFields(props: TaskFieldsProps) {
  const { projectId, options, workspaces, hasRepository, onChange, children } = props;
  const agents = useAgents(projectId).data;
  const models = useModels(projectId).data;
  const offered = models?.items.filter(isForAgents) ?? [];
  const agent = agents?.items.find(({ name }) => name === (options.agent || agents.default));
  const model = options.model || agent?.model || models?.default;
  const efforts = models?.items.find(({ id }) => id === model)?.efforts ?? [];
  const isNew = options.workspace === NEW_WORKSPACE;
  return (
    <div className="task-fields">
      {children}
      <Choice label="Workspace" value={options.workspace} onChange={(workspace) => onChange({ workspace })}>
        <option value={NEW_WORKSPACE}>New workspace</option>
        <OptionList of={workspaces.map(({ id, name }) => [id, name])} />
      </Choice>
      {hasRepository && isNew && (
        <RefField
          label="Branch, tag or commit"
          source={{ project: projectId }}
          value={options.ref}
          onText={(ref) => onChange({ ref })}
        />
      )}
      <TextField
        label="Folder"
        placeholder="/"
        title="A package of a monorepo: its configuration applies and commands run there"
        maxLength={255}
        value={options.folder}
        onText={(folder) => onChange({ folder })}
      />
      <Choice label="Agent" value={options.agent} onChange={(agent) => onChange({ agent, effort: "" })}>
        <option value="">{agents ? `${agents.default} (default)` : "Default"}</option>
        <OptionList
          of={(agents?.items ?? [])
            .filter(({ selectable, name }) => selectable && name !== agents?.default)
            .map(({ name }) => [name, name])}
        />
      </Choice>
      {offered.length > 1 && (
        <Choice label="Model" value={options.model} onChange={(model) => onChange({ model, effort: "" })}>
          <option value="">Default</option>
          <OptionList of={offered.map(({ id }) => [id, id])} />
        </Choice>
      )}
      {efforts.length > 0 && (
        <Choice label="Reasoning effort" value={options.effort} onChange={(effort) => onChange({ effort })}>
          <option value="">Default</option>
          <OptionList of={efforts.map((effort) => [effort, effortLabel(effort)])} />
        </Choice>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

export function Choice({ label, value, onChange, children }: ChoiceProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  );
}
