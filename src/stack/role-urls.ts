/**
 * The connection string of another role on the server that `url` names. Behind Supabase's pooler a login is spelled
 * `role.project`, and the project is kept.
 */
export function urlForRole(url: string, role: string, password: string): string {
  const other = new URL(url);
  const project = /^[^.]+(\..+)$/.exec(decodeURIComponent(other.username))?.[1] ?? '';
  other.username = encodeURIComponent(role + project);
  other.password = encodeURIComponent(password);
  return other.href;
}
