export const joined = (folder: string, name: string): string => (folder === "." ? name : `${folder}/${name}`);
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || ".";
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
