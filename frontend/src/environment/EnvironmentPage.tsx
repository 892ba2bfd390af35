import type { ProjectTabProps } from "../project/tabProps";
import { Image } from "./Image";
import { Network } from "./Network";
import { Services } from "./Services";
import { Setup } from "./Setup";
import { ProjectVariables } from "./Variables";

/** What programs in the project's workspaces find there, a section for each subject. */
export function EnvironmentPage(props: ProjectTabProps) {
  return (
    <>
      <p className="muted tab-intro">What programs find in the workspaces of this project.</p>
      <Network {...props} />
      <Image {...props} />
      <Setup {...props} />
      <Services {...props} />
      <ProjectVariables {...props} />
    </>
  );
}
