-- Argo CD has no health script for Application, so an Application of Applications would not wait for them. A suspended
-- job is as its spec says, so the next wave does not wait for it.
local health = (obj.status or {}).health or {}
if health.status == "Suspended" then
  return { status = "Healthy", message = "suspended, as asked" }
end
return { status = health.status or "Progressing", message = health.message or "waiting for Argo CD" }
